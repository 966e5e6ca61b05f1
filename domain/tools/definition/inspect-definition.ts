import { inspectTool, type ToolInspection } from './inspect-tool.ts';

/** What is read of a definition. */
interface Inspected {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly files: ReadonlyMap<string, string>;
  readonly isLeftOut?: true;
}

const LEFT_OUT = 'the files of the tools before it in the list are too long together';

const known = new WeakMap<Inspected, ToolInspection>();

/** Reads a definition that is kept and never changed; reads it once. */
export function inspectDefinition(definition: Inspected): ToolInspection {
  if (definition.isLeftOut) return { problem: LEFT_OUT };
  const earlier = known.get(definition);
  if (earlier !== undefined) return earlier;
  const inspection = inspectTool(definition, definition.files);
  known.set(definition, inspection);
  return inspection;
}
