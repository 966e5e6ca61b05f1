import { Link } from '@tanstack/react-router';
import { useAnswerPages } from '../core/http/use-answer.ts';
import { type OwnPermissions, useOwnPermissions } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import type { components } from '../openapi.ts';
import { Badge, type Column, Loaded, Pager, Section, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type UsageText, useUsageText } from './text.ts';
import classes from './usage.module.css';

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
function BudgetBar({ budget }: { readonly budget: Budget }) {
  const text = useUsageText();
  const { token_budget: all, token_window_hours: hours, used_tokens: used, available_at: at } = budget;
  const words = `${text.used(used, all)} ${text.window(hours)}`;
  const isUsedUp = budget.remaining_tokens <= 0;
  return (
    <div className="stack gap-1">
      <span>{words}</span>
      <meter
        className={classes.meter}
        aria-label={words}
        min={0}
        max={all}
        high={all * 0.9}
        value={Math.min(used, all)}
      />
      {isUsedUp && <span className="danger">{at === null ? text.usedUp : text.freeAgain(timeFromNow(at))}</span>}
    </div>
  );
}

type MemberBudgets = components['schemas']['MemberBudgets'];
const PAGE = 100;

/** How much of their budgets the members have used, for those who may change groups. */
export function MembersBudgets() {
  const text = useUsageText();
  const orgId = useOrgId();
  const pages = useAnswerPages(['permissions', 'budgets'], '/api/permissions/budgets', {
    keyOf: ({ user_id: id }) => id,
    pageSize: PAGE,
  });
  return (
    <div className={classes.budgets}>
      <Section title={text.budgetsOfAll} lead={text.budgetsOfAllWhy}>
        <Loaded query={pages}>
          {({ items }) => {
            const limited = items.filter(({ budgets }) => budgets.length > 0);
            return limited.length === 0 ? (
              <p className={classes.note}>{text.noBudgets}</p>
            ) : (
              <Table
                label={text.budgetsOfAll}
                columns={columnsOf(text, orgId)}
                rows={limited}
                keyOf={({ user_id: id }) => id}
              />
            );
          }}
        </Loaded>
        <Pager pages={pages} />
      </Section>
    </div>
  );
}

function columnsOf(text: UsageText, orgId: string): readonly Column<MemberBudgets>[] {
  return [
    {
      key: 'who',
      title: text.groupings.user,
      cell: ({ user_id: userId, full_name: name, email }) => (
        <Link to="/o/$orgId/members/$userId" params={{ orgId, userId }}>
          {showInvisible(name === '' ? email : name)}
        </Link>
      ),
    },
    {
      key: 'budgets',
      title: text.usedOf,
      cell: ({ budgets }) => (
        <div className={`list ${classes.bars}`}>
          {budgets.map((budget) => (
            <BudgetBar key={`${budget.token_budget}/${budget.token_window_hours}`} budget={budget} />
          ))}
        </div>
      ),
    },
    {
      key: 'state',
      title: text.state,
      cell: ({ is_blocked: isBlocked, available_at: at }) =>
        isBlocked ? (
          <Badge tone="danger">{at === null ? text.blocked : text.blockedUntil(timeFromNow(at))}</Badge>
        ) : (
          <Badge tone="good">{text.free}</Badge>
        ),
    },
  ];
}
