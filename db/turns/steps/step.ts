import { MAX_ATTEMPTS_KEPT, type TokenUsage, type Wait } from '../../../domain/turns.ts';

/** An attempt at a step of a turn: every write names the one it began with. */
export interface StepRef {
  readonly orgId: string;
  readonly turnId: string;
  readonly attempt: number;
  readonly step: number;
}

/** The attempt before those that are left out, when there are too many: the first ones and the last ones are kept. */
const KEPT_AT_BEGIN = 8;

// A wait that continues after a poll is one wait: the poll is no attempt of its own.
const IS_SAME_WAIT = `t.trace -> -1 ->> 'waitsFor' = t.trace -> -2 ->> 'waitsFor'
      and coalesce(t.trace -> -1 -> 'tries', '[]') = '[]'`;

const WITHOUT_ONE = `jsonb_set(t.trace - ${KEPT_AT_BEGIN}, '{${KEPT_AT_BEGIN - 1},leftOut}',
      to_jsonb(coalesce((t.trace #>> '{${KEPT_AT_BEGIN - 1},leftOut}')::int, 0) + 1))`;

/** `turns.trace` with one attempt, which begins now. */
export const FIRST_ATTEMPT = `jsonb_build_array(jsonb_build_object('at', now()))`;

/**
 * Returns `turns.trace` of `turns t` with one more attempt, which begins now. The trace of a turn is that of its
 * current step: it restarts with the step whose number the expression `step` gives.
 */
export const withAttempt = (step: string): string => `(case
    when t.step <> ${step} then '[]'
    when ${IS_SAME_WAIT} then t.trace - (-1)
    when jsonb_array_length(t.trace) < ${MAX_ATTEMPTS_KEPT} then t.trace
    else ${WITHOUT_ONE}
  end || ${FIRST_ATTEMPT})`;

/**
 * Returns `turns.trace` of `turns t` with the fields of a JSON object added to its last attempt. A turn that began
 * before attempts were noted has none.
 */
export const withOutcome = (outcome: string): string => `(case when t.trace = '[]' then t.trace
    else jsonb_set(t.trace, '{-1}', (t.trace -> -1) || ${outcome}::jsonb) end)`;

/** Returns `turns.trace` of `turns t`, whose last attempt has ended in a wait. */
export const withWait = (wait: Wait): string => withOutcome(`'${JSON.stringify({ waitsFor: wait })}'`);

/** Returns `turns.trace` of `turns t`, whose last attempt continues instead of waiting. */
export const WITHOUT_WAIT = `t.trace #- '{-1,waitsFor}'`;

/** Returns `turns.trace` of `turns t`, whose last attempt is marked as released unless it has an outcome. */
export const RELEASED = `case when t.trace -> -1 ?| array['tries', 'waitsFor'] then t.trace
    else ${withOutcome(`'${JSON.stringify({ isReleased: true })}'`)} end`;

/** The usage of a model call: its tokens, the model and the account, and what it cost at that time. */
export interface StepUsage extends TokenUsage {
  readonly model: string;
  readonly providerType: string | null;
  readonly providerAccountId: string | null;
  /** In US dollars; null when the price is unknown. */
  readonly cost: number | null;
}

/** The sum of rows of `token_usage` (`UsedTokens`), in SQL. Its cost is unknown when that of one is. */
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
