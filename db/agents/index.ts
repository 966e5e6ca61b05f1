export { Agent } from './agent.entity.ts';
export { createAgent, deleteAgent, getAgent, listAgents, restoreAgent, updateAgent } from './agents.ts';
export { type Delegate, findDelegates, listDelegates } from './delegates.ts';
