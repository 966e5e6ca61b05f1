import type { TokenUsage } from '../../../domain/turns/index.ts';

/** What a call of a model has used: its tokens, the model and the account, and what it cost at that time. */
export interface StepUsage extends TokenUsage {
  readonly model: string;
  readonly providerType: string | null;
  readonly providerAccountId: string | null;
  /** In US dollars; null when the price is unknown. */
  readonly cost: number | null;
}

/**
 * What rows of `token_usage` come to together (`UsedTokens`), in SQL. Their cost is unknown when that of one is.
 */
export const SUM_OF_USAGE = `json_build_object('inputTokens', coalesce(sum(input_tokens), 0),
    'outputTokens', coalesce(sum(output_tokens), 0), 'cachedInputTokens', coalesce(sum(cached_input_tokens), 0),
    'reasoningTokens', coalesce(sum(reasoning_tokens), 0), 'estimated', coalesce(bool_or(estimated), false),
    'cost', case when coalesce(bool_and(cost is not null), true) then coalesce(sum(cost), 0)::float8 end)`;

/** Returns usage as the parameter of `insertUsage`; without usage no row is inserted. */
export function usageValue(usage: StepUsage | undefined): string | null {
  return usage === undefined ? null : JSON.stringify(usage);
}

/**
 * Returns the insertion of usage, which is JSON, into `token_usage`. `turn` is the name of rows of `turns`, `step` that
 * of the turn, and `callId` the tool call that was billed.
 */
export function insertUsage(
  usage: string,
  { turn, step, callId = 'null::uuid' }: { readonly turn: string; readonly step: string; readonly callId?: string },
): string {
  return `insert into token_usage (turn_id, step, call_id, org_id, chat_id, user_id, provider_account_id, provider_type,
      model, input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, estimated, cost)
    select t.id, ${step}, ${callId}, t.org_id, t.chat_id, t.user_id,
      (select id from provider_accounts where id = u."providerAccountId"), u."providerType", u.model, u."inputTokens",
      u."outputTokens", coalesce(u."cachedInputTokens", 0), coalesce(u."cacheWriteTokens", 0),
      coalesce(u."reasoningTokens", 0), u.estimated, u.cost
    from ${turn} t, jsonb_to_record(${usage}::jsonb) as u ("providerAccountId" uuid, "providerType" text, model text,
      "inputTokens" int, "outputTokens" int, "cachedInputTokens" int, "cacheWriteTokens" int, "reasoningTokens" int,
      estimated boolean, cost numeric)
    where ${usage}::jsonb is not null`;
}
