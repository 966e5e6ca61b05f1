import { quote } from './quote.ts';

/** A parsed value, or why there is none. */
export type Parsed = { readonly value: unknown } | { readonly fault: string };

/**
 * Parses JSON that a model wrote. Models also write line breaks and tabs into strings as they are, which JSON does not
 * allow; they are taken for what they are meant to be.
 */
export function parseJson(text: string): Parsed {
  const strict = tryParse(text);
  if ('value' in strict) return strict;
  const repaired = tryParse(escapeControls(text));
  return 'value' in repaired ? repaired : strict;
}

/** Whether a parsed value is an object, neither a list nor null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tryParse(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: quote(error instanceof Error ? error.message : String(error)) };
  }
}

const STRING = /"(?:[^"\\]|\\[\s\S])*"/g;
const CONTROL = /\p{Cc}/gu;

function escapeControls(text: string): string {
  return text.replaceAll(STRING, (literal) =>
    literal.replaceAll(CONTROL, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
