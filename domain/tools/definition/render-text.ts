import { isSourceNumber } from '../../core/objects/exact-json.ts';
import type { Secrets } from '../../integrations/index.ts';
import { failRead } from './parsed.ts';
import type { Placeholder } from './template.ts';

/** The values that a request is made of. */
export interface Values {
  /** The checked arguments of the call. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly secrets: Secrets;
}

/** Returns the value of a placeholder; undefined when there is none. */
export function valueAt({ args, secrets }: Values, { of, name }: Placeholder): unknown {
  const values: Readonly<Record<string, unknown>> = of === 'secret' ? secrets : args;
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Names a placeholder in a sentence, without its value. */
export function nameOf({ of, name }: Placeholder): string {
  return of === 'secret' ? `the credential ${name}` : `the argument ${name}`;
}

/**
 * Writes the value of what has this name as text: nothing for null and absent ones. Lists and objects have no such
 * form.
 */
export function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isSourceNumber(value)) return value.rawJSON;
  return failRead(`${name} must be a text, a number or a boolean where it is used`);
}

/** Writes the value of a placeholder as text. */
export function placedText(values: Values, placeholder: Placeholder): string {
  return textOf(nameOf(placeholder), valueAt(values, placeholder));
}
