export { AgentsUsing } from './agents-using.tsx';
export { type Agent, type AgentTemplate, useAddAgent, useAgents } from './queries.ts';
export { TemplateList } from './list/template-list.tsx';
export { useSkills, useTools } from './editor/choices.ts';
