import { failRead } from './parsed.ts';

/** The checked arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Returns the value of an argument; undefined when the call does not give it. */
export function valueAt(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

/** Writes a value as text: nothing for null and absent ones. Lists and objects have no form as text. */
export function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return failRead(`the argument ${name} must be a text, a number or a boolean where it is used`);
}
