import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useNow } from '../../core/clock.ts';
import { useCan, useIsAdvanced, useOwnPermissions } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatDuration } from '../../core/text/numbers.ts';
import { timeFromNow, timeOfDay } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import classes from '../chat-page.module.css';
import { useChatsText } from '../text.ts';
import type { Phase } from './phase.ts';

interface ProviderActions {
  /** Leads to where the chain of the chat is chosen; undefined for who may not. */
  readonly onChain: (() => void) | undefined;
  /** Stops the turn that waits; undefined for who may not. */
  readonly onStop: (() => void) | undefined;
}

interface WaitNoteProps extends ProviderActions {
  readonly phase: Phase;
}

/** Says above the composer what the running turn waits for, until when, and where that can be changed. */
export function WaitNote({ phase, ...actions }: WaitNoteProps): ReactNode {
  const text = useChatsText().waiting;
  const orgId = useOrgId();
  if (phase.kind === 'provider') return <ProviderNote until={phase.until} {...actions} />;
  if (phase.kind === 'place' || phase.kind === 'worker') return <p className={classes.note}>{text[phase.kind]}</p>;
  if (phase.kind !== 'approval') return null;
  return (
    <p className={classes.note}>
      {text.approval}
      <Link to="/o/$orgId/inbox" params={{ orgId }}>
        {text.inbox}
      </Link>
    </p>
  );
}

function ProviderNote({ until, onChain, onStop }: ProviderActions & { readonly until: string | null }): ReactNode {
  const text = useChatsText().waiting;
  const orgId = useOrgId();
  const [mayView, mayAdd, isAdvanced] = [useCan('providers.view'), useCan('providers.manage'), useIsAdvanced()];
  const maySee = mayView && isAdvanced;
  return (
    <div className={classes.note}>
      {until === null ? text.providerSoon : <Until until={until} />}
      {maySee && (
        <Link to="/o/$orgId/providers" params={{ orgId }}>
          {mayAdd ? text.addAccount : text.accounts}
        </Link>
      )}
      {onChain !== undefined && maySee && (
        <Button look="quiet" onClick={onChain}>
          {text.chain}
        </Button>
      )}
      {onStop !== undefined && (
        <Button look="quiet" onClick={onStop}>
          {text.stop}
        </Button>
      )}
    </div>
  );
}

function Until({ until }: { readonly until: string }): ReactNode {
  const text = useChatsText().waiting;
  const left = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1_000));
  return text.provider(timeOfDay(until), formatDuration(left));
}

/** Says above the composer that the token budgets of the user are used up, and when some of it is free again. */
export function BudgetNote({ answerId }: { readonly answerId: string | undefined }): ReactNode {
  const text = useChatsText().waiting;
  const [orgId, cache] = [useOrgId(), useQueryClient()];
  const usage = useOwnPermissions().data?.usage;
  const isAdvanced = useIsAdvanced();
  const hasBudget = usage !== undefined && usage.budgets.length > 0;
  useEffect(() => {
    // Each answer has used some of it.
    if (hasBudget && answerId !== undefined)
      void cache.invalidateQueries({ queryKey: [orgId, 'permissions', 'me'], exact: true });
  }, [cache, orgId, hasBudget, answerId]);
  if (usage?.is_blocked !== true) return null;
  const { available_at: at } = usage;
  return (
    <output className={classes.note}>
      {at === null ? text.budgetSoon : text.budget(timeFromNow(at))}
      {isAdvanced && (
        <Link to="/o/$orgId/usage" params={{ orgId }}>
          {text.usage}
        </Link>
      )}
    </output>
  );
}
