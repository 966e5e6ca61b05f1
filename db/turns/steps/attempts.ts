import { MAX_ATTEMPTS_KEPT, type Wait } from '../../../domain/turns/index.ts';

/** The attempt before those that are left out, when there are too many: the first ones and the last ones are kept. */
const KEPT_AT_BEGIN = 8;

// A wait that goes on after a look is one wait: the look is no attempt of its own.
const IS_SAME_WAIT = `t.trace -> -1 ->> 'waitsFor' = t.trace -> -2 ->> 'waitsFor'
      and coalesce(t.trace -> -1 -> 'tries', '[]') = '[]'`;

const WITHOUT_ONE = `jsonb_set(t.trace - ${KEPT_AT_BEGIN}, '{${KEPT_AT_BEGIN - 1},leftOut}',
      to_jsonb(coalesce((t.trace #>> '{${KEPT_AT_BEGIN - 1},leftOut}')::int, 0) + 1))`;

/**
 * Returns `turns.trace` of `turns t` with one more attempt, which begins now. The trace of a turn is that of its
 * current step: it begins anew with the step whose number the expression `step` gives.
 */
export const withAttempt = (step: string): string => `(case
    when t.step <> ${step} then '[]'
    when ${IS_SAME_WAIT} then t.trace - (-1)
    when jsonb_array_length(t.trace) < ${MAX_ATTEMPTS_KEPT} then t.trace
    else ${WITHOUT_ONE}
  end || jsonb_build_object('at', now()))`;

/**
 * Returns `turns.trace` of `turns t` with the fields of a JSON object added to its last attempt. A turn that began
 * before attempts were noted has none.
 */
export const withOutcome = (outcome: string): string => `(case when t.trace = '[]' then t.trace
    else jsonb_set(t.trace, '{-1}', (t.trace -> -1) || ${outcome}::jsonb) end)`;

/** Returns `turns.trace` of `turns t`, whose last attempt has ended in a wait. */
export const withWait = (wait: Wait): string => withOutcome(`'${JSON.stringify({ waitsFor: wait })}'`);

/** Returns `turns.trace` of `turns t`, whose last attempt goes on instead of waiting. */
export const WITHOUT_WAIT = `t.trace #- '{-1,waitsFor}'`;

/** Returns `turns.trace` of `turns t`, whose last attempt was given up when it has no outcome. */
export const RELEASED = `case when t.trace -> -1 ?| array['tries', 'waitsFor'] then t.trace
    else ${withOutcome(`'${JSON.stringify({ isReleased: true })}'`)} end`;
