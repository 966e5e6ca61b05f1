import { parseExactJson } from './exact-json.ts';

/** A parsed value, or why there is none. */
export type Parsed = { readonly value: unknown } | ParseIssue;

/** Why a text was not parsed. */
interface ParseIssue {
  readonly issue: string;
  /** Whether it contains too many values: in parts it could be parsed. */
  readonly isTooLarge: boolean;
}

/**
 * How many values one JSON text of foreign origin may contain: members of objects, items of lists, objects and lists.
 * As text a value takes two characters, in memory up to a hundred bytes; this many are a few megabytes.
 */
export const MAX_JSON_VALUES = 50_000;

/** Deepest nesting accepted. Code that recurses through values, the database included, must terminate. */
export const MAX_JSON_DEPTH = 256;

/**
 * Parses JSON that a provider, a model or a client wrote. How much it would become in memory is measured before, in one
 * pass over the text; what is too large or too deep is not parsed. With `isExact` numbers are kept as by
 * `parseExactJson`, for values that are passed on.
 */
export function parseForeignJson(
  text: string,
  { maxDepth = MAX_JSON_DEPTH, maxValues = MAX_JSON_VALUES, isExact = false } = {},
): Parsed {
  const tooMuch = sizeIssue(text, maxDepth, maxValues);
  if (tooMuch !== undefined) return tooMuch;
  try {
    // Some servers begin with a byte order mark, which a reader may pass over (RFC 8259, 8.1).
    const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
    return { value: isExact ? parseExactJson(json) : (JSON.parse(json) as unknown) };
  } catch (error) {
    return { issue: error instanceof Error ? error.message : String(error), isTooLarge: false };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Returns why `text` is too large to parse, or `undefined`. The count is an upper bound, whether or not the text is
 * JSON.
 */
export function jsonSizeIssue(text: string, maxDepth: number): string | undefined {
  return sizeIssue(text, maxDepth)?.issue;
}

function sizeIssue(text: string, maxDepth: number, maxValues = MAX_JSON_VALUES): ParseIssue | undefined {
  // Too short to be nested too deeply.
  if (text.length <= maxDepth) return undefined;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        values += 1;
        depth += 1;
        if (depth > maxDepth) return { issue: `it nests more than ${maxDepth} levels deep`, isTooLarge: false };
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
    }
    if (values > maxValues) return { issue: `it contains more than ${maxValues} values`, isTooLarge: true };
  }
  return undefined;
}

/** Returns the index of the quotation mark that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
