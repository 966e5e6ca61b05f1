/** What kind of work an agent is made for (specification, "Agent"). */
export const AGENT_TYPES = ['architect', 'assistant', 'coordinator', 'custom', 'devops', 'project_manager'] as const;
export type AgentType = (typeof AGENT_TYPES)[number];
