export { askedTools } from './asked-tools.ts';
export { describeNamed } from './describe-named.ts';
export { type PlaceableTool, type PlacedTools, placeTools } from './place-tools.ts';
export { shortSchema } from './short-schema.ts';
export { namesIn, TOOL_DESCRIBE } from './tool-describe.ts';
export type { SchemaProfile } from './wire/schema-profile.ts';
export { fromWireArguments, toWireTool } from './wire/wire-tools.ts';
