export { AGENT_TYPES, type AgentType } from './agent-type.ts';
export { mayDelegate } from './may-delegate.ts';
