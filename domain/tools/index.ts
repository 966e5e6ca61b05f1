export { TOOL_CATEGORIES, type ToolCategory } from './category.ts';
export { FACILITIES, type Facility, type Lacking } from './facility.ts';
export { inspectDefinition } from './definition/inspect-definition.ts';
export { type CustomTool, inspectTool } from './definition/inspect-tool.ts';
export { integrationProblem } from './integrations/integration-problem.ts';
export { renderRequest } from './definition/render-request.ts';
export { readRequestFile, type RequestTemplate } from './definition/request-template.ts';
export { approvalOfToolFile, type ToolFile, toolFileSchema } from './definition/tool-file.ts';
export { parseTestRequest } from './integrations/test-request.ts';
