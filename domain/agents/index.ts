export { AGENT_TYPES, type AgentType } from './agent-type.ts';
