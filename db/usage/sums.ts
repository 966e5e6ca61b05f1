/** Tokens that were used, and what they cost. */
export interface UsageTotals {
  /** Turns that began to call a model, those of sub-agents included. */
  readonly turns: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
  readonly unpricedCalls: number;
  readonly unpricedTokens: number;
  /** Of the calls whose price was known, in US dollars; null when none was. */
  readonly costUsd: number | null;
}

/** The columns of `usage_totals` that are counts, by their names here. */
const COUNTS: Readonly<Record<Exclude<keyof UsageTotals, 'costUsd'>, string>> = {
  turns: 'turns',
  calls: 'calls',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cachedInputTokens: 'cached_input_tokens',
  reasoningTokens: 'reasoning_tokens',
  unpricedCalls: 'unpriced_calls',
  unpricedTokens: 'unpriced_tokens',
};
const NAMES = Object.keys(COUNTS);

/** Sums rows of `usage_totals u`. */
export const SUMS = [
  ...Object.entries(COUNTS).map(([name, column]) => `coalesce(sum(u.${column}), 0)::bigint as "${name}"`),
  'sum(u.cost) as cost',
].join(', ');

/** The sums of a row of `lines`, as they are shown. */
export const SHOWN_SUMS = [
  ...NAMES.map((name) => `lines."${name}"`),
  'case when lines.calls > lines."unpricedCalls" then lines.cost::float8 end as "costUsd"',
].join(', ');

/** The sums of all rows of `sums` as arguments of `json_build_object`. */
export const SUMS_OF_LINES = [
  ...NAMES.map((name) => `'${name}', sum(sums."${name}") over ()`),
  `'costUsd', case when sum(sums.calls) over () > sum(sums."unpricedCalls") over () then (sum(sums.cost) over ())::float8 end`,
].join(', ');
