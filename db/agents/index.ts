export { Agent } from './agent.entity.ts';
export {
  addAgentOnce,
  type AgentFields,
  createAgent,
  deleteAgent,
  findInstalledAgent,
  getAgent,
  lockAgent,
  listAgents,
  noteItem,
  requireAgent,
  requireAgents,
  restoreAgent,
  updateAgent,
} from './agents.ts';
export { type ChatModel, findChatModel, listChatModels } from './chat-models.ts';
export { findAgentNames } from './agent-names.ts';
export { findAgentsOfProfile, renameProfileOfAgents } from './references/agents-of-profile.ts';
export { type BrokenReferences, findBrokenReferences } from './references/broken-references.ts';
export { checkToolApproval } from './check-tool-approval.ts';
export { findChosenKnowledge, forgetKnowledgeBase } from './references/knowledge-of-agents.ts';
export { checkMayTell } from './may-tell.ts';
export { mayDirectAll, requireMayDirect, type UsedRecords } from './may-direct.ts';
export { type SubAgentCandidate, findSubAgentCandidates, listSubAgentCandidates } from './sub-agent-candidates.ts';
export { agentForTurn, type TurnAgent } from './for-turn.ts';
