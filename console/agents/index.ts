export { type Agent, type AgentTemplate, useAddAgent, useAgents } from './queries.ts';
export { UsingAgents } from './using/using-agents.tsx';
export { TemplateList } from './list/template-list.tsx';
export { useSkills, useTools } from './editor/choices.ts';
