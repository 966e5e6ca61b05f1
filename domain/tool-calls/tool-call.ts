/**
 * The state of a call. `planned` and `running` are open. The others are final, and are the words of step frames and of
 * `tool_calls_detail`: `success` and `error` are the tool's own result, `unknown` means that it may or may not have
 * taken effect, `interrupted` that it was stopped or never begun.
 */
export type CallStatus = 'planned' | 'running' | 'success' | 'error' | 'unknown' | 'interrupted';

/** A status that does not change any more. */
export type FinalCallStatus = Exclude<CallStatus, 'planned' | 'running'>;

/**
 * The effect of repeating a call. `read` changes nothing and is repeated freely. `keyed` is repeated with the same
 * idempotency key. `once` is never repeated: after a crash its outcome is `unknown`. `agent` hands work to a sub-agent,
 * whose own turn is durable.
 */
export const EFFECTS = ['read', 'keyed', 'once', 'agent'] as const;
export type Effect = (typeof EFFECTS)[number];

/** Calls of one reply that are run; the model is informed of the others. */
export const MAX_CALLS_PER_REPLY = 32;

/** Longest arguments of one call, in UTF-16 code units of their JSON. */
export const MAX_ARGUMENT_CHARACTERS = 262_144;

/** Levels that arguments may nest. */
export const MAX_ARGUMENT_NESTING = 20;

/** Longest arguments of all calls of one reply together, in UTF-16 code units of their JSON. */
export const MAX_REPLY_ARGUMENT_CHARACTERS = 1024 * 1024;

/** Longest result that a model is shown whole, in UTF-16 code units; a longer one is cut and kept in a file. */
export const MAX_RESULT_CHARACTERS = 16_000;

/** Model steps a turn may take. */
export const MAX_STEPS = 50;

/** Sub-agents below sub-agents: the agent of a chat is at depth 0, and one at this depth delegates no further. */
export const MAX_DEPTH = 3;

/** The tool that hands work to a sub-agent. */
export const AGENT_SPAWN = 'agent_spawn';

/** Describes a call whose effect is unknown. */
export const MAY_HAVE_TAKEN_EFFECT = 'may or may not have taken effect';

/** The result of a call that may change something and was stopped while it ran. */
export const STOPPED_WHILE_IT_RAN = `The call was stopped while it ran. It ${MAY_HAVE_TAKEN_EFFECT}.`;

/** The result of a call that changes nothing and was stopped. */
export const STOPPED = 'The call was stopped before it had a result.';
