import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useIsAdvanced, useOwnPermissions } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import classes from '../chat-page.module.css';
import { useChatsText } from '../text.ts';

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
