export { TOOL_CATEGORIES, type ToolCategory } from './category.ts';
export { inspectDefinition } from './definition/inspect-definition.ts';
export { type CustomTool, inspectTool } from './definition/inspect-tool.ts';
export { integrationProblem } from './integrations/integration-problem.ts';
export { renderRequest } from './definition/render-request.ts';
export type { RequestTemplate } from './definition/request-template.ts';
export { parseTestRequest } from './integrations/test-request.ts';
