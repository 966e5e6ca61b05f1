import { useNow } from '../core/clock.ts';
import { Badge } from '../ui/page/badge.tsx';
import classes from './providers.module.css';
import type { Provider } from './queries.ts';
import { useProvidersText } from './text.ts';

const TONES = { active: 'good', cooling_down: 'warn', disabled: 'danger' } as const;

/** The state of an account; while it cools down, with the time that is left of that. */
export function AccountStatus({ account }: { readonly account: Provider }) {
  const text = useProvidersText();
  const { status, cooldown_until: until } = account;
  return (
    <span className={classes.name}>
      <Badge tone={TONES[status]}>{text.status[status]}</Badge>
      {status === 'cooling_down' && until !== null && <Cooldown until={until} />}
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
