import type { ToolParameters } from '../../tool.ts';

const cleared = new WeakMap<ToolParameters, ToolParameters>();

/**
 * Returns a schema whose parts that refer to others take everything: references that refer to each other can make a
 * check take for ever. The server checks them itself.
 */
export function withoutReferences(schema: ToolParameters): ToolParameters {
  const known = cleared.get(schema) ?? (withoutIn(schema) as ToolParameters);
  cleared.set(schema, known);
  return known;
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

function withoutIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIn);
  if (typeof value !== 'object' || value === null) return value;
  if (REFERENCES.some((name) => name in value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutIn(each)]));
}
