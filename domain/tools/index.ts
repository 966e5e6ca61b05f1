export { TOOL_CATEGORIES, type ToolCategory } from './category.ts';
export { inspectDefinition } from './definition/inspect-definition.ts';
export { type CustomTool, inspectTool } from './definition/inspect-tool.ts';
export { renderRequest } from './definition/render-request.ts';
export type { RequestTemplate } from './definition/request-template.ts';
