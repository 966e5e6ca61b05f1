import { formatDollars, formatNumber } from '../core/text/numbers.ts';
import type { UsageTotals as Totals } from './queries.ts';
import { useUsageText } from './text.ts';
import classes from './usage.module.css';

/** The sums of a report. A cost that is not known is never shown as a number. */
export function UsageTotals({ totals }: { readonly totals: Totals }) {
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
