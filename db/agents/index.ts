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
export { type ChatModel, findChatModel, listChatModels } from './chat-models.ts';
export { findAgentNames } from './agent-names.ts';
export { findAgentsOfProfile, renameProfileOfAgents } from './references/agents-of-profile.ts';
export { type BrokenReferences, findBrokenReferences } from './references/broken-references.ts';
export { checkToolApproval } from './check-tool-approval.ts';
export { findChosenKnowledge, forgetKnowledgeBase } from './references/knowledge-of-agents.ts';
export { requireMayDirect } from './may-direct.ts';
export { type SubAgentCandidate, findSubAgentCandidates, listSubAgentCandidates } from './sub-agent-candidates.ts';
export { agentForTurn, type TurnAgent } from './for-turn.ts';
