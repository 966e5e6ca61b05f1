/** Calls of one reply that are run; the model is told of the others. */
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
