import { isSourceNumber } from '../../../domain/core/exact-json.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';
import type { TokenUsage } from '../../../domain/turns.ts';

/** How much a JSON text may contain, where the usual limits do not apply. */
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

/** Returns the value of a JSON text; undefined when it is invalid or contains too much. */
export function parseJson(text: string, { maxValues, isExact = false }: JsonOptions = {}): unknown {
  const parsed = parseForeignJson(text, { isExact, ...(maxValues !== undefined && { maxValues }) });
  return 'value' in parsed ? parsed.value : undefined;
}

type Part = 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens';

/** Merges two reports of a reply's usage. The numbers only grow; some servers end with zeros, or without the parts. */
export function greaterUsage(before: TokenUsage | undefined, now: TokenUsage | undefined): TokenUsage | undefined {
  if (before === undefined || now === undefined) return now ?? before;
  const greater = (part: Part) => partOf(part, Math.max(before[part] ?? 0, now[part] ?? 0));
  return {
    inputTokens: Math.max(before.inputTokens, now.inputTokens),
    outputTokens: Math.max(before.outputTokens, now.outputTokens),
    estimated: false,
    ...greater('cachedInputTokens'),
    ...greater('cacheWriteTokens'),
    ...greater('reasoningTokens'),
  };
}

/** Returns whether a usage says anything: there is no call without tokens. */
export function isReported(usage: TokenUsage | undefined): usage is TokenUsage {
  return usage !== undefined && usage.inputTokens + usage.outputTokens > 0;
}

/** Returns a part of the tokens of a call as a field of its usage; no field when nobody has counted it, or nothing. */
export function partOf(part: Part, tokens: number | undefined): Partial<Pick<TokenUsage, Part>> {
  return tokens === undefined || tokens === 0 ? {} : { [part]: tokens };
}
