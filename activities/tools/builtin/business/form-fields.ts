import { ToolFailure } from '../../tool-failure.ts';

const MAX_DEPTH = 8;
const MAX_FIELDS = 500;

/**
 * Returns the fields of a form that stand for a value, as PHP and Rails read them: `{ a: [{ b: 1 }] }` is `a[0][b]=1`.
 * Throws `ToolFailure` for a value that is too large or too deep.
 */
export function formFields(value: Readonly<Record<string, unknown>>): [string, string][] {
  const fields = Object.entries(value).flatMap(([name, each]) => fieldsOf(name, each, MAX_DEPTH));
  if (fields.length > MAX_FIELDS) throw new ToolFailure('invalid_input', `There may be ${MAX_FIELDS} values at most`);
  return fields;
}

function fieldsOf(name: string, value: unknown, depth: number): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
  if (depth === 0) throw new ToolFailure('invalid_input', `The values of ${name} nest too deep`);
  return Object.entries(value).flatMap(([key, each]) => fieldsOf(`${name}[${key}]`, each, depth - 1));
}
