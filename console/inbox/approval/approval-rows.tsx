import { Link, useSearch } from '@tanstack/react-router';
import { type Approval, gistOf } from '../../approvals/index.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import { Badge } from '../../ui/page/badge.tsx';
import { showHidden, showInvisible } from '../../ui/visible.ts';
import classes from '../inbox-page.module.css';
import { type InboxText, useInboxText } from '../text.ts';
import { TimeLeft } from './time-left.tsx';

interface ApprovalRowsProps {
  readonly approvals: readonly Approval[];
  /** The one that is shown beside the list. */
  readonly current: string | undefined;
  /** Those that are selected; absent in a list of which nothing is. */
  readonly selection?: ReadonlySet<string>;
  readonly onToggle?: (id: string) => void;
}

export const TONES = {
  pending: 'warn',
  approved: 'good',
  denied: 'danger',
  expired: 'calm',
  cancelled: 'calm',
  outdated: 'calm',
} as const;

/** Decisions, one a line: what is asked, by whom, and how long it waits or what became of it. */
export function ApprovalRows({ approvals, current, selection, onToggle }: ApprovalRowsProps) {
  const [text, orgId] = [useInboxText(), useOrgId()];
  const search = useSearch({ from: '/o/$orgId/inbox' });
  return (
    <ul className={classes.rows} aria-label={text.list}>
      {approvals.map((approval) => (
        <li key={approval.id} className={classes.row} data-current={approval.id === current || undefined}>
          {selection !== undefined && (
            <label className={classes.tick}>
              <input
                type="checkbox"
                aria-label={text.select(showInvisible(approval.label))}
                checked={selection.has(approval.id)}
                onChange={() => onToggle?.(approval.id)}
              />
            </label>
          )}
          <Link
            from="/o/$orgId/inbox"
            to="/o/$orgId/inbox"
            params={{ orgId }}
            search={{ ...search, id: approval.id }}
            replace
            className={classes.what}
            aria-current={approval.id === current || undefined}
          >
            <span className={classes.label}>{showHidden(approval.label)}</span>
            <span className={classes.gist}>{gistOf(approval)}</span>
            <span className={classes.asks}>{asks(approval, text)}</span>
          </Link>
          <State approval={approval} />
        </li>
      ))}
    </ul>
  );
}

function State({ approval: { status, expires_at: until, decided_at: at } }: { readonly approval: Approval }) {
  const text = useInboxText();
  if (status === 'pending') return <TimeLeft until={until} />;
  return (
    <span className={classes.state}>
      <Badge tone={TONES[status]}>{text.status[status]}</Badge>
      <span className={classes.time}>{at !== null && timeFromNow(at)}</span>
    </span>
  );
}

/** Returns who asks for what, in words. */
export function asks({ agent_name: agent, tool }: Approval, text: InboxText): string {
  const name = showInvisible(agent);
  return tool === null ? text.asksStep(name) : text.asks(name, showInvisible(tool));
}
