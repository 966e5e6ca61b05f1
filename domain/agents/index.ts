export { type AgentKeyChanges, findUnknownKeys, type KnownKeys, requireMayGive, wordsOfUnknown } from './added-keys.ts';
export { AGENT_TYPES, type AgentType } from './agent-type.ts';
export { cannotDirect, findWithheld } from './given-keys.ts';
export { mayDelegate } from './may-delegate.ts';
export { keysOfNewAgent } from './new-agent-keys.ts';
