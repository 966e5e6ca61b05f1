import { type ChatReader, readableBy } from './chats/chat.ts';
import type { Database } from './core/database.ts';
import { type Listed, type Page, readPage } from './core/page.ts';

/** A line of a breakdown. */
interface UsageLine extends UsageTotals {
  /** A day in UTC, the id of a record, or a provider type and a model; null for an agent that nobody knows any more. */
  readonly key: string | null;
  /** Null when the record is gone, or its name is not for the reader. */
  readonly name: string | null;
}

/** The usage that a report is about. */
interface UsageFilter {
  /** Whole hours; `to` is exclusive. */
  readonly from: Date;
  readonly to: Date;
  /** Of one user; of everybody in the organization unless given. */
  readonly userId: string | undefined;
}

/** A page of a breakdown, and the totals of all of it. */
interface Breakdown {
  readonly lines: Listed<UsageLine>;
  readonly totals: UsageTotals;
}

type ReadLine = Omit<UsageLine, 'name'> & { readonly totals: UsageTotals };

/** Returns the usage of an organization, broken down: days in their order, all else by tokens, the most first. */
export async function readBreakdown(
  database: Database,
  reader: ChatReader,
  { kind, filter, page }: { readonly kind: BreakdownKind; readonly filter: UsageFilter; readonly page: Page },
): Promise<Breakdown> {
  const { orgId } = reader;
  const { group, key, order } = LINE_KINDS[kind];
  const { text: used, values } = usedIn(orgId, filter);
  // Each line has the totals, so that all is read once. Not prepared: the best index depends on the filter.
  const read = await readPage<ReadLine>(async (statement) => database.tenant.query(orgId, statement), {
    columns: `${key} as key, ${SHOWN_SUMS}, totals`,
    bytes: '600',
    source: `from (
        select sums.*, json_build_object(${SUMS_OF_LINES}) as totals
        from (select ${group}, ${SUMS} ${used} group by ${group}) sums
      ) lines`,
    total: `(select count(*) from (select ${used} group by ${group}) lines)`,
    order,
    values,
    page,
  });
  const totals = read.items[0]?.totals ?? (await readTotals(database, orgId, filter));
  const keys = read.items.flatMap((line) => line.key ?? []);
  const nameOf = await namesOf(database, reader, kind, keys);
  const items = read.items.map(({ totals: _totals, ...line }) => ({ ...line, name: nameOf(line.key) }));
  return { lines: { ...read, items }, totals };
}

// For a page without lines.
async function readTotals({ tenant }: Database, orgId: string, filter: UsageFilter): Promise<UsageTotals> {
  const { text: used, values } = usedIn(orgId, filter);
  const text = `select ${SHOWN_SUMS} from (select ${SUMS} ${used}) lines`;
  const [totals] = await tenant.query<UsageTotals>(orgId, { text, values });
  if (totals === undefined) throw new Error('a sum of all rows is one row');
  return totals;
}

function usedIn(orgId: string, { from, to, userId }: UsageFilter) {
  const text = 'from usage_totals u where u.org_id = $1 and u.hour >= $2 and u.hour < $3';
  if (userId === undefined) return { text, values: [orgId, from, to] };
  return { text: `${text} and u.user_id = $4`, values: [orgId, from, to, userId] };
}

// Deleted records have their names until they are gone.
const NAMES: Readonly<Partial<Record<BreakdownKind, string>>> = {
  agent: 'select id, name from agents where id = any($1::uuid[])',
  user: "select id, coalesce(nullif(full_name, ''), email) as name from users where id = any($1::uuid[])",
  chat: `select c.id, c.title as name from chats c where c.id = any($1::uuid[]) and ${readableBy('c', '$2', '$3')}`,
};

/**
 * Returns what finds the name of a line by its key: that of a record, as far as the reader may know it, and of all else
 * the key itself.
 */
async function namesOf(
  { tenant }: Database,
  { orgId, userId, seesShared }: ChatReader,
  kind: BreakdownKind,
  keys: readonly string[],
): Promise<(key: string | null) => string | null> {
  const text = NAMES[kind];
  if (text === undefined) return (key) => key;
  const values = kind === 'chat' ? [keys, userId, seesShared] : [keys];
  const rows = await tenant.query<{ id: string; name: string }>(orgId, { name: `usage-${kind}-names`, text, values });
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (key) => names.get(key ?? '') ?? null;
}

/** The breakdowns of usage. */
export const BREAKDOWN_KINDS = ['day', 'agent', 'model', 'user', 'chat'] as const;

type BreakdownKind = (typeof BREAKDOWN_KINDS)[number];

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

const LINE_KINDS: Readonly<Record<BreakdownKind, LineKind>> = {
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

/** Tokens that were used, and what they cost. */
interface UsageTotals {
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
const SUM_NAMES = Object.keys(COUNTS);

/** Sums rows of `usage_totals u`. */
const SUMS = [
  ...Object.entries(COUNTS).map(([name, column]) => `coalesce(sum(u.${column}), 0)::bigint as "${name}"`),
  'sum(u.cost) as cost',
].join(', ');

/** The sums of a row of `lines`, as they are shown. */
const SHOWN_SUMS = [
  ...SUM_NAMES.map((name) => `lines."${name}"`),
  'case when lines.calls > lines."unpricedCalls" then lines.cost::float8 end as "costUsd"',
].join(', ');

/** The sums of all rows of `sums` as arguments of `json_build_object`. */
const SUMS_OF_LINES = [
  ...SUM_NAMES.map((name) => `'${name}', sum(sums."${name}") over ()`),
  `'costUsd', case when sum(sums.calls) over () > sum(sums."unpricedCalls") over () then (sum(sums.cost) over ())::float8 end`,
].join(', ');
