import { useSearch } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { useCan } from '../core/permissions.ts';
import { formatDollars, formatNumber } from '../core/text/numbers.ts';
import { type Bar, Bars } from '../ui/charts/bars.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Budgets, MembersBudgets } from './budgets.tsx';
import type { Measure } from './choices.ts';
import { daysBetween, firstDay } from './period.ts';
import {
  type UsageLine,
  type UsageQuery,
  type UsageReport,
  type UsageTotals as Totals,
  MOST_BARS,
  useUsage,
} from './queries.ts';
import { type UsageText, useUsageText } from './text.ts';
import { UsageFilters } from './usage-filters.tsx';
import { lineName, UsageTable } from './usage-table.tsx';
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

interface UsageBarsProps {
  readonly report: UsageReport;
  readonly measure: Measure;
}

/** The lines of a report as bars. Costs are shown only where prices are known. */
function UsageBars({ report, measure }: UsageBarsProps) {
  const text = useUsageText();
  const by = text.groupings[report.group_by];
  if (measure === 'cost' && report.totals.cost_usd === null) return <p className={classes.note}>{text.noCost}</p>;
  const isCost = measure === 'cost';
  return (
    <section className={classes.chart} aria-label={text.chart(text.measures[measure], by)}>
      <Bars
        label={text.chart(text.measures[measure], by)}
        series={isCost ? [text.cost] : [text.input, text.output]}
        bars={barsOf(report, isCost, text)}
        format={isCost ? formatDollars : formatNumber}
        unit={by}
        isTabled
      />
    </section>
  );
}

function barsOf(report: UsageReport, isCost: boolean, text: UsageText): readonly Bar[] {
  const values = (line: UsageLine | undefined) =>
    isCost ? [line?.cost_usd ?? 0] : [line?.input_tokens ?? 0, line?.output_tokens ?? 0];
  if (report.group_by !== 'day') {
    const names = new Map<string, number>();
    return report.lines.slice(0, MOST_BARS).map((line) => {
      const name = lineName(line, report.group_by, text);
      const nth = (names.get(name) ?? 0) + 1;
      names.set(name, nth);
      // Two agents may have one name.
      return { label: nth === 1 ? name : `${name} (${nth})`, values: values(line) };
    });
  }
  const lines = new Map(report.lines.map((line) => [(line.key ?? '').slice(0, 10), line]));
  return daysBetween(report.from, report.to).map((day) => ({
    label: lineName({ key: day, name: null }, 'day', text),
    values: values(lines.get(day)),
  }));
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
