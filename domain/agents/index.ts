export { type AgentKeyChanges, type KnownKeys, requireKnownKeys, requireMayGive } from './added-keys.ts';
export { AGENT_TYPES, type AgentType } from './agent-type.ts';
export { idOfServer, requireReachable } from './attached-servers.ts';
export { cannotDirect, findWithheld } from './given-keys.ts';
export { mayDelegate } from './may-delegate.ts';
export { keysOfNewAgent, type LeftOutDefaults } from './new-agent-keys.ts';
