export { AGENT_TYPES, type AgentType } from './agent-type.ts';
export { findWithheld, type GivenKeys } from './given-keys.ts';
export { mayDelegate } from './may-delegate.ts';
