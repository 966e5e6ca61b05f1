export {
  askedTools,
  describeNamed,
  namesIn,
  type PlaceableTool,
  type PlacedTools,
  placeTools,
  shortSchema,
  TOOL_DESCRIBE,
} from './place-tools.ts';
export type { SchemaProfile } from './wire/flatten.ts';
export { fromWireArguments, toWireTool } from './wire/wire-tools.ts';
