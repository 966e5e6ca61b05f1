import { formatDollars, formatNumber } from '../core/text/numbers.ts';
import { type Bar, Bars } from '../ui/charts/bars.tsx';
import type { Measure } from './choices.ts';
import { lineName } from './line-name.ts';
import { daysBetween } from './period.ts';
import { MOST_BARS, type UsageLine, type UsageReport } from './queries.ts';
import { type UsageText, useUsageText } from './text.ts';
import classes from './usage.module.css';

interface UsageBarsProps {
  readonly report: UsageReport;
  readonly measure: Measure;
}

/** The lines of a report as bars. Costs are shown only where prices are known. */
export function UsageBars({ report, measure }: UsageBarsProps) {
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
