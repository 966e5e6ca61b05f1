import { isSourceNumber } from '../../../domain/core/objects/exact-json.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';

/** How much a JSON text may hold, where that is not what holds for all. */
export interface JsonLimits {
  readonly maxValues?: number;
  /** The size of the text, where it may be larger than others. */
  readonly maxBytes?: number;
}

/** Options for parsing a JSON text. */
export interface JsonOptions extends JsonLimits {
  /** Keeps numbers as they were sent, for arguments of calls that come as objects. Others are read by `asNumber`. */
  readonly isExact?: boolean;
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

/** Returns the value when it is a number, also one that was kept as it was sent; else undefined. */
export function asNumber(value: unknown): number | undefined {
  if (isSourceNumber(value)) return Number(value.rawJSON);
  return typeof value === 'number' ? value : undefined;
}

/** Returns a count of tokens, or undefined for what cannot be one. */
export function asCount(given: unknown): number | undefined {
  const value = asNumber(given);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 31 ? value : undefined;
}

/** Returns the value of a JSON text; undefined when it is invalid or holds too much. */
export function parseJson(text: string, { maxValues, isExact = false }: JsonOptions = {}): unknown {
  const parsed = parseForeignJson(text, { isExact, ...(maxValues !== undefined && { maxValues }) });
  return 'value' in parsed ? parsed.value : undefined;
}
