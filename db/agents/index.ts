export { Agent } from './agent.entity.ts';
export {
  type AgentFields,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  restoreAgent,
  updateAgent,
} from './agents.ts';
