export { TOOL_CATEGORIES, type ToolCategory } from './category.ts';
export {
  WORKER_FEATURES,
  type WorkerFeature,
  type Lacking,
  noIntegrationOf,
  type Surroundings,
  type ToolNeeds,
  unmetNeed,
} from './needs.ts';
export {
  type CustomTool,
  inspectDefinition,
  inspectTool,
  integrationProblem,
  parseTestRequest,
} from './inspect-tool.ts';
export { renderRequest } from './render-request.ts';
export { readRequestFile, type RequestTemplate } from './request-template.ts';
export { approvalOfToolFile, type ToolFile, toolFileSchema } from './tool-file.ts';
