export { type Agent, type AgentTemplate, useAddAgent, useAgents, useSkills, useTools } from './queries.ts';
export { UsingAgents } from './using-agents.tsx';
export { TemplateList } from './template-list.tsx';
