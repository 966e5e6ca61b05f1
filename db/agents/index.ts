export { Agent } from './agent.entity.ts';
export {
  AGENT_DEFAULTS,
  type AgentFields,
  findInstalledAgent,
  getAgent,
  listAgents,
  type NewAgent,
  noteItem,
  requireAgent,
  requireAgents,
} from './agents.ts';
export {
  addAgent,
  type AgentActor,
  type AgentDeps,
  changeAgent,
  createAgent,
  deleteAgent,
  requireMayChangeAgent,
  restoreAgent,
  updateAgent,
} from './change-agents.ts';
export {
  type ChatModel,
  findAgentNames,
  findChatModel,
  findPublishedAgent,
  findSubAgentCandidates,
  listChatModels,
  listSubAgentCandidates,
  type PublishedAgent,
  type SubAgentCandidate,
} from './find-agents.ts';
export {
  type BrokenReferences,
  findAgentsOfProfile,
  findBrokenReferences,
  findChosenKnowledge,
  forgetKnowledgeBase,
  renameProfileOfAgents,
} from './references.ts';
export { checkToolApproval } from './check-tool-approval.ts';
export { requireMayDirect } from './may-direct.ts';
export { agentForTurn, type TurnAgent } from './for-turn.ts';
