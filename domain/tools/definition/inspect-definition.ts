import { inspectTool, type ToolInspection } from './inspect-tool.ts';

/** What is read of a definition. */
interface Inspected {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly files: ReadonlyMap<string, string>;
}

const known = new WeakMap<Inspected, ToolInspection>();

/** Reads a definition that is kept and never changed; reads it once. */
export function inspectDefinition(definition: Inspected): ToolInspection {
  const earlier = known.get(definition);
  if (earlier !== undefined) return earlier;
  const inspection = inspectTool(definition, definition.files);
  known.set(definition, inspection);
  return inspection;
}
