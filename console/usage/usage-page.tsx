import { Link, useSearch } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { useCan } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatDollars, formatNumber, TIME_LOCALE } from '../core/text/formats.ts';
import { type Bar, Bars } from '../ui/charts/bars.tsx';
import { type Column, Empty, Loaded, Page, Pager, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { Budgets, MembersBudgets } from './budgets.tsx';
import type { Grouping, Measure } from './choices.ts';
import { daysBetween, firstDay, UsageFilters } from './usage-filters.tsx';
import {
  MOST_BARS,
  type UsageLine,
  type UsageQuery,
  type UsageReport,
  type UsageTotals as Totals,
  useUsage,
  useUsageLines,
} from './queries.ts';
import { type UsageText, useUsageText } from './text.ts';
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

/** All numbers of a report, line by line: days with the last one first. */
function UsageTable({ usage, report }: { readonly usage: UsageQuery; readonly report: UsageReport }) {
  if (report.group_by === 'day') return <Lines by="day" lines={report.lines.toReversed()} />;
  return <PagedLines usage={{ ...usage, by: report.group_by }} />;
}

function PagedLines({ usage }: { readonly usage: UsageQuery }) {
  const pages = useUsageLines(usage);
  return (
    <>
      <Loaded query={pages}>{({ items }) => <Lines by={usage.by} lines={items} />}</Loaded>
      <Pager pages={pages} />
    </>
  );
}

function Lines({ by, lines }: { readonly by: Grouping; readonly lines: readonly UsageLine[] }) {
  const text = useUsageText();
  return (
    <Table
      label={text.title}
      columns={columnsOf(by, text)}
      rows={lines.map((line, at) => ({ ...line, at }))}
      keyOf={({ at }) => String(at)}
    />
  );
}

function columnsOf(by: Grouping, text: UsageText): readonly Column<UsageLine & { readonly at: number }>[] {
  const number = (key: string, title: string, of: (line: UsageLine) => string) => ({
    key,
    title,
    isNumber: true,
    cell: of,
  });
  return [
    { key: 'name', title: text.groupings[by], cell: (line) => <LineName line={line} by={by} /> },
    number('turns', text.turns, ({ turns }) => formatNumber(turns)),
    number('input', text.input, ({ input_tokens: n }) => formatNumber(n)),
    number('cached', text.cachedColumn, ({ cached_input_tokens: n }) => formatNumber(n)),
    number('output', text.output, ({ output_tokens: n }) => formatNumber(n)),
    number('cost', text.cost, ({ cost_usd: cost }) => (cost === null ? text.noPrice : formatDollars(cost))),
  ];
}

function LineName({ line, by }: { readonly line: UsageLine; readonly by: Grouping }) {
  const [text, orgId] = [useUsageText(), useOrgId()];
  const name = lineName(line, by, text);
  if (line.key === null || line.name === null) return name;
  if (by === 'chat')
    return (
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId: line.key }}>
        {name}
      </Link>
    );
  if (by === 'user')
    return (
      <Link to="/o/$orgId/members/$userId" params={{ orgId, userId: line.key }}>
        {name}
      </Link>
    );
  return name;
}

const days = new Intl.DateTimeFormat(TIME_LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Returns what a line of a report is about, in words. */
function lineName({ key, name }: Pick<UsageLine, 'key' | 'name'>, by: Grouping, text: UsageText): string {
  if (by === 'day') return days.format(new Date(`${(key ?? '').slice(0, 10)}T00:00:00Z`));
  if (by === 'model') return showInvisible(name ?? key ?? text.gone.model);
  return name === null ? text.gone[by] : showInvisible(name);
}

/** The lines of a report as bars. Costs are shown only where prices are known. */
function UsageBars({ report, measure }: { readonly report: UsageReport; readonly measure: Measure }) {
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
          <div key={label} className={`card p-3 ${classes.figure}`}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {cost !== null && calls > 0 && <p className={classes.note}>{text.unpriced(calls, tokens)}</p>}
    </>
  );
}
