import { isSourceNumber } from './exact-json.ts';

/** Returns whether a value is an object of JSON, with members by name: neither a list, a number nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSourceNumber(value);
}
