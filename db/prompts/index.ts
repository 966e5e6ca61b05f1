export { type AgentPrompt, type Carried, readAgentPrompt, readCarried, readDelegationPart } from './agent-prompt.ts';
