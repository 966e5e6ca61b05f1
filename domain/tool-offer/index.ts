export { askedTools } from './asked-tools.ts';
export { describeNamed } from './describe-named.ts';
export { type PlaceableTool, type PlacedTools, placeTools } from './place-tools.ts';
export { shortSchema } from './short-schema.ts';
export { namesIn, TOOL_DESCRIBE } from './tool-describe.ts';
