import { useCan } from '../../core/permissions.ts';
import { useText } from '../../core/text/text-context.tsx';
import { usePendingApprovals } from '../../inbox/index.ts';
import classes from './pending-count.module.css';

const MOST_SHOWN = 99;

/** The number of decisions that are waited for; nothing when there are none. */
export function PendingCount() {
  const [text, pending] = [useText().nav, usePendingCount()];
  if (pending === 0) return null;
  return (
    <span className={classes.count}>
      {pending > MOST_SHOWN ? `${MOST_SHOWN}+` : pending}
      <span className={classes.hidden}> {text.waiting}</span>
    </span>
  );
}

/** Returns how many decisions the user could make are waited for. */
export function usePendingCount(): number {
  return usePendingApprovals(useCan('approvals.view')).data?.total ?? 0;
}
