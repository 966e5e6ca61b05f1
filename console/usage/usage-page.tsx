import { ChartColumn } from 'lucide-react';
import { useSearch } from '@tanstack/react-router';
import { useCan } from '../core/permissions.ts';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { formatDollars, formatNumber } from '../core/text/numbers.ts';
import { Budgets } from './budgets/budgets.tsx';
import { MembersBudgets } from './budgets/member-budgets.tsx';
import type { Measure } from './choices.ts';
import { firstDay } from './period.ts';
import { type UsageQuery, type UsageReport, type UsageTotals as Totals, useUsage } from './queries.ts';
import { UsageBars } from './usage-bars.tsx';
import { UsageFilters } from './usage-filters.tsx';
import { UsageTable } from './usage-table.tsx';
import { useUsageText } from './text.ts';
import classes from './usage.module.css';

const DAYS = 30;

/** What models have read and written, by day, agent, model, person or chat; and the user's own budget. */
export function UsagePage() {
  const text = useUsageText();
  const {
    from = firstDay(DAYS),
    to,
    by = 'day',
    of: measure = 'tokens',
    scope,
  } = useSearch({ from: '/o/$orgId/usage' });
  const seesAll = useCan('settings.manage');
  const usage: UsageQuery = { from, to, by, scope: seesAll ? scope : undefined };
  const report = useUsage(usage);
  return (
    <Page title={text.title} lead={text.lead}>
      <Budgets />
      <UsageFilters from={from} to={to} seesAll={seesAll} />
      <Loaded query={report}>
        {(read) =>
          read.totals.calls === 0 ? (
            <Empty icon={<ChartColumn />} title={text.empty}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <Report usage={usage} report={read} measure={measure} />
          )
        }
      </Loaded>
      {seesAll && <MembersBudgets />}
    </Page>
  );
}

interface ReportProps {
  readonly usage: UsageQuery;
  readonly report: UsageReport;
  readonly measure: Measure;
}

function Report({ usage, report, measure }: ReportProps) {
  return (
    <>
      <UsageTotals totals={report.totals} />
      <UsageBars report={report} measure={measure} />
      <UsageTable usage={usage} report={report} />
    </>
  );
}

/** The sums of a report. A cost that is not known is never shown as a number. */
function UsageTotals({ totals }: { readonly totals: Totals }) {
  const text = useUsageText();
  const { cost_usd: cost, unpriced_calls: calls, unpriced_tokens: tokens } = totals;
  const figures = [
    [text.input, formatNumber(totals.input_tokens)],
    [text.cached, formatNumber(totals.cached_input_tokens)],
    [text.output, formatNumber(totals.output_tokens)],
    [text.cost, cost === null ? text.noPrice : formatDollars(cost)],
    [text.turns, formatNumber(totals.turns)],
    [text.calls, formatNumber(totals.calls)],
  ] as const;
  return (
    <>
      <dl className={classes.totals}>
        {figures.map(([label, value]) => (
          <div key={label} className={classes.figure}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {cost !== null && calls > 0 && <p className={classes.note}>{text.unpriced(calls, tokens)}</p>}
    </>
  );
}
