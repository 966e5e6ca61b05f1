import { type OwnPermissions, useOwnPermissions } from '../../core/permissions.ts';
import { timeFromNow } from '../../core/text/times.ts';
import { Section } from '../../ui/page/section.tsx';
import { useUsageText } from '../text.ts';
import classes from '../usage.module.css';

type Budget = OwnPermissions['usage']['budgets'][number];

/** How much of their own token budgets the user has used; nothing for whom no group limits. */
export function Budgets() {
  const text = useUsageText();
  const { data } = useOwnPermissions();
  const budgets = data?.usage.budgets ?? [];
  if (budgets.length === 0) return null;
  return (
    <div className={classes.budgets}>
      <Section title={text.budget} lead={text.budgetWhy}>
        {budgets.map((budget) => (
          <BudgetBar key={`${budget.token_budget}/${budget.token_window_hours}`} budget={budget} />
        ))}
      </Section>
    </div>
  );
}

/** One budget as a bar, with the numbers in words. */
export function BudgetBar({ budget }: { readonly budget: Budget }) {
  const text = useUsageText();
  const { token_budget: all, token_window_hours: hours, used_tokens: used, available_at: at } = budget;
  const words = `${text.used(used, all)} ${text.window(hours)}`;
  const isUsedUp = budget.remaining_tokens <= 0;
  return (
    <div className={classes.budget}>
      <span>{words}</span>
      <meter
        className={classes.meter}
        aria-label={words}
        min={0}
        max={all}
        high={all * 0.9}
        value={Math.min(used, all)}
      />
      {isUsedUp && (
        <span className={classes.usedUp}>{at === null ? text.usedUp : text.freeAgain(timeFromNow(at))}</span>
      )}
    </div>
  );
}
