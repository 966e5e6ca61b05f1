export { Agent } from './agent.entity.ts';
export {
  type AgentFields,
  createAgent,
  deleteAgent,
  findInstalledAgent,
  getAgent,
  listAgents,
  noteItem,
  restoreAgent,
  updateAgent,
} from './agents.ts';
export { type BrokenReferences, findBrokenReferences } from './broken-references.ts';
export { type SubAgentCandidate, findSubAgentCandidates, listSubAgentCandidates } from './sub-agent-candidates.ts';
export { agentForTurn, type TurnAgent } from './for-turn.ts';
