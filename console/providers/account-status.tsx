import { useNow } from '../core/clock.ts';
import { timeFromNow } from '../core/text/times.ts';
import { Badge } from '../ui/page/badge.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './providers.module.css';
import { isFailing, type Provider } from './queries.ts';
import { useProvidersText } from './text.ts';

const TONES = { active: 'good', failing: 'danger', cooling_down: 'warn', disabled: 'danger' } as const;

/**
 * The state of an account; while it cools down, with the time that is left of that, and why its last call failed while
 * that keeps nobody from using it.
 */
export function AccountStatus({ account }: { readonly account: Provider }) {
  const text = useProvidersText();
  const { status, cooldown_until: until, last_failure: failure, last_failed_at: failedAt } = account;
  const shown = isFailing(account) ? 'failing' : status;
  return (
    <span className={classes.name}>
      <Badge tone={TONES[shown]}>{text.status[shown]}</Badge>
      {status === 'cooling_down' && until !== null && <Cooldown until={until} />}
      {shown === 'failing' && (
        <span className={classes.soft}>
          {text.lastCallFailed(showInvisible(failure ?? ''), failedAt === null ? '' : timeFromNow(failedAt))}
        </span>
      )}
    </span>
  );
}

function Cooldown({ until }: { readonly until: string }) {
  const text = useProvidersText();
  const seconds = Math.ceil((Date.parse(until) - useNow()) / 1_000);
  return (
    <span className={classes.soft} role="timer">
      {seconds > 0 ? text.cooledIn(seconds) : text.cooled}
    </span>
  );
}
