import { Link } from '@tanstack/react-router';
import { useOrgId } from '../core/session/session-context.tsx';
import { isFailing, type Provider } from '../providers/index.ts';
import { Badge } from '../ui/page/badge.tsx';
import classes from './home-page.module.css';
import { Line } from './line.tsx';
import { useHomeText } from './text.ts';

/** Returns the accounts that do not work: those whose last call failed, and those that are disabled. */
export function failingOf(accounts: readonly Provider[]): readonly Provider[] {
  return accounts.filter((account) => isFailing(account) || account.status === 'disabled');
}

/** Says of how many accounts the last call failed, and how many are disabled, and leads to them. */
export function FailingProviders({ accounts }: { readonly accounts: readonly Provider[] }) {
  const text = useHomeText();
  const failing = accounts.filter(isFailing);
  const disabled = accounts.filter(({ status }) => status === 'disabled');
  const times = failing.flatMap(({ last_failed_at: at }) => at ?? []).toSorted();
  return (
    <>
      {failing.length > 0 && (
        <Line
          link={<ProvidersLink accounts={failing} words={text.failingCount(failing.length)} />}
          badge={<Badge tone="danger">{text.failing}</Badge>}
          time={times.at(-1)}
        />
      )}
      {disabled.length > 0 && (
        <Line
          link={<ProvidersLink accounts={disabled} words={text.disabled(disabled.length)} />}
          badge={<Badge tone="danger">{text.off}</Badge>}
        />
      )}
    </>
  );
}

/** Leads to the only one of some accounts, or to all of them. */
function ProvidersLink({ accounts, words }: { readonly accounts: readonly Provider[]; readonly words: string }) {
  const orgId = useOrgId();
  const [only] = accounts;
  if (only === undefined || accounts.length > 1)
    return (
      <Link to="/o/$orgId/providers" params={{ orgId }} className={classes.title}>
        {words}
      </Link>
    );
  return (
    <Link to="/o/$orgId/providers/$providerId" params={{ orgId, providerId: only.id }} className={classes.title}>
      {words}
    </Link>
  );
}
