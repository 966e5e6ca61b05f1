import { isObject } from '../core/objects/is-object.ts';

/** A JSON Schema, or a part of one. */
type Schema = Readonly<Record<string, unknown>>;

// What a model hardly ever breaks, and is told when it does: the call is checked by the whole schema.
const LEFT_OUT = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'maxProperties', 'pattern']);

/**
 * Returns the JSON Schema of a builtin tool's arguments as models are given it, which takes fewer tokens: names, types,
 * choices, upper bounds of numbers and descriptions stay; lengths, patterns and the ban of other properties go.
 */
export function shortSchema(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => shortened(keyword, value)));
}

function shortened(keyword: string, value: unknown): [string, unknown][] {
  if (LEFT_OUT.has(keyword) || (keyword === 'additionalProperties' && value === false)) return [];
  // Nobody counts or limits by less than one.
  if (keyword === 'minimum' && (value === 0 || value === 1)) return [];
  if (Array.isArray(value))
    return [[keyword, value.map((each: unknown) => (isObject(each) ? shortSchema(each) : each))]];
  if (!isObject(value)) return [[keyword, value]];
  if (keyword !== 'properties') return [[keyword, shortSchema(value)]];
  // Its keys are names of arguments, whatever they are.
  const named = Object.entries(value).map(([name, each]) => [name, isObject(each) ? shortSchema(each) : each]);
  return [[keyword, Object.fromEntries(named)]];
}
