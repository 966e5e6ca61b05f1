/** The kinds of work an agent can be made for (specification, "Agent"). */
export const AGENT_TYPES = ['architect', 'assistant', 'coordinator', 'custom', 'devops', 'project_manager'] as const;
export type AgentType = (typeof AGENT_TYPES)[number];
