/** What usage can be broken down by. */
export const BREAKDOWN_KINDS = ['day', 'agent', 'model', 'user', 'chat'] as const;

export type BreakdownKind = (typeof BREAKDOWN_KINDS)[number];

/** How rows of `usage_totals u` become lines, in SQL. */
interface LineKind {
  /** The columns that they are grouped by. */
  readonly group: string;
  /** The key of a line of `lines`. */
  readonly key: string;
  readonly order: string;
}

const MOST_FIRST = 'lines."inputTokens" + lines."outputTokens" desc, key';

const byId = (column: string): LineKind => ({ group: `u.${column}`, key: `lines.${column}::text`, order: MOST_FIRST });

export const LINE_KINDS: Readonly<Record<BreakdownKind, LineKind>> = {
  day: {
    group: "date_trunc('day', u.hour, 'UTC')",
    key: "to_char(lines.date_trunc at time zone 'UTC', 'YYYY-MM-DD')",
    order: 'lines.date_trunc',
  },
  agent: byId('agent_id'),
  model: {
    group: 'u.provider_type, u.model',
    key: "concat_ws('/', lines.provider_type, lines.model)",
    order: MOST_FIRST,
  },
  user: byId('user_id'),
  chat: byId('chat_id'),
};
