import type { ChatReader } from '../chats/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import { namesOf } from './names.ts';

/** What usage can be broken down by. */
export const BREAKDOWN_KINDS = ['day', 'agent', 'model', 'user', 'chat'] as const;

export type BreakdownKind = (typeof BREAKDOWN_KINDS)[number];

/** Tokens that were used, and what they cost. */
interface UsageTotals {
  /** Turns that began to call a model, those of sub-agents included. */
  readonly turns: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
  /** Of the calls whose price was known, in US dollars; null when none was. */
  readonly costUsd: number | null;
  readonly unpricedCalls: number;
  readonly unpricedTokens: number;
}

/** A line of a breakdown. */
interface UsageLine extends UsageTotals {
  /** A day in UTC, the id of a record, or a provider type and a model; null for an agent that nobody knows any more. */
  readonly key: string | null;
  /** Null when the record is gone, or its name is not for the reader. */
  readonly name: string | null;
}

/** The usage that a report is about. */
export interface UsageFilter {
  /** Whole hours; `to` is exclusive. */
  readonly from: Date;
  readonly to: Date;
  /** Of one user; of everybody in the organization unless given. */
  readonly userId: string | undefined;
}

/** A page of a breakdown, and the totals of all of it. */
export interface Breakdown {
  readonly lines: Listed<UsageLine>;
  readonly totals: UsageTotals;
}

/** Returns the usage of an organization, broken down: days in their order, all else by tokens, the most first. */
export async function readBreakdown(
  database: Database,
  reader: ChatReader,
  { kind, filter, page }: { readonly kind: BreakdownKind; readonly filter: UsageFilter; readonly page: Page },
): Promise<Breakdown> {
  const { orgId } = reader;
  const { from, to, userId } = filter;
  const values = [orgId, from, to, ...(userId === undefined ? [] : [userId])];
  const used = `from usage_totals u where u.org_id = $1 and u.hour >= $2 and u.hour < $3
    ${userId === undefined ? '' : 'and u.user_id = $4'}`;
  const source = `from (select ${KEYS[kind]} as key, ${SUMS} ${used} group by 1) lines`;
  // Not prepared: the best index depends on the filter.
  const [lines, [totals]] = await Promise.all([
    readPage<Omit<UsageLine, 'name'>>(async (statement) => database.tenant.query(orgId, statement), {
      columns: 'lines.*',
      bytes: '600',
      source,
      order: kind === 'day' ? 'key' : '"inputTokens" + "outputTokens" desc, key',
      values,
      page,
    }),
    database.tenant.query<UsageTotals>(orgId, { text: `select ${SUMS} ${used}`, values }),
  ]);
  const keys = lines.items.flatMap(({ key }) => key ?? []);
  const nameOf = await namesOf(database, reader, kind, keys);
  return {
    lines: { ...lines, items: lines.items.map((line) => ({ ...line, name: nameOf(line.key) })) },
    totals: totals as UsageTotals,
  };
}

const KEYS: Readonly<Record<BreakdownKind, string>> = {
  day: "to_char(u.hour at time zone 'UTC', 'YYYY-MM-DD')",
  agent: 'u.agent_id::text',
  model: "concat_ws('/', u.provider_type, u.model)",
  user: 'u.user_id::text',
  chat: 'u.chat_id::text',
};

const SUMS = `coalesce(sum(u.turns), 0)::int as turns, coalesce(sum(u.calls), 0)::int as calls,
  coalesce(sum(u.input_tokens), 0)::bigint as "inputTokens", coalesce(sum(u.output_tokens), 0)::bigint as "outputTokens",
  coalesce(sum(u.cached_input_tokens), 0)::bigint as "cachedInputTokens",
  coalesce(sum(u.reasoning_tokens), 0)::bigint as "reasoningTokens",
  case when sum(u.calls) > sum(u.unpriced_calls) then sum(u.cost)::float8 end as "costUsd",
  coalesce(sum(u.unpriced_calls), 0)::int as "unpricedCalls",
  coalesce(sum(u.unpriced_tokens), 0)::bigint as "unpricedTokens"`;
