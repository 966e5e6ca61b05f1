import { isSourceNumber } from '../../../domain/core/objects/exact-json.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';

/** How much a JSON text may hold, where that is not what holds for all. */
export interface JsonLimits {
  readonly maxValues?: number;
  /** The size of the text, where it may be larger than others. */
  readonly maxBytes?: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns the value as an object with unknown fields; an empty one for anything else. Servers send what no type
 * promises.
 */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

/** Returns the value when it is text, else ''. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the value when it is a list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a count of tokens, or undefined for what cannot be one. */
export function asCount(given: unknown): number | undefined {
  const value = isSourceNumber(given) ? Number(given.rawJSON) : given;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 31 ? value : undefined;
}

/**
 * Returns the value of a JSON text, with its numbers as they were sent: some servers send arguments of calls as
 * objects. Undefined when it is invalid or holds too much.
 */
export function parseJson(text: string, limits?: JsonLimits): unknown {
  const parsed = parseForeignJson(text, {
    isExact: true,
    ...(limits?.maxValues !== undefined && { maxValues: limits.maxValues }),
  });
  return 'value' in parsed ? parsed.value : undefined;
}
