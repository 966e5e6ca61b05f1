export { AGENT_TYPES, type AgentType } from './agent-type.ts';
export { cannotDirect, findWithheld } from './given-keys.ts';
export { mayDelegate } from './may-delegate.ts';
