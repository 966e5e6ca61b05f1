export { type AgentPrompt, readAgentPrompt } from './agent-prompt.ts';
export { readDelegationPart } from './delegation.ts';
export { type Carried, readCarried } from './carried.ts';
