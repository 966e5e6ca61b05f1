import { type Parsed, parseForeignJson } from '../core/foreign-json.ts';
import { isObject } from '../core/objects/is-object.ts';
import { quote } from './quote.ts';

const EXACT = { isExact: true };

/**
 * Parses JSON that a model wrote, with its numbers as it wrote them. Models also write line breaks and tabs into
 * strings as they are, which JSON does not allow; they are taken for what they are meant to be.
 */
export function parseJson(text: string): Parsed {
  const strict = parseForeignJson(text, EXACT);
  if ('value' in strict) return strict;
  const repaired = hasControls(text) ? parseForeignJson(escapeControls(text), EXACT) : strict;
  return 'value' in repaired ? repaired : { ...strict, issue: quote(strict.issue) };
}

/**
 * Returns the arguments of a call: `null` stands for none, as several servers send it, and a text for the object that
 * it holds as JSON. Undefined for anything else.
 */
export function toArguments(given: unknown): Record<string, unknown> | undefined {
  if (given === undefined || given === null) return {};
  const parsed = typeof given === 'string' ? parseJson(given) : { value: given };
  return 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined;
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

// One pass from the first character to the last: what is inside a string depends on nothing that follows.
const MARK = /\\["\\]|["\p{Cc}]/gu;

function escapeControls(text: string): string {
  let isInString = false;
  return text.replaceAll(MARK, (mark) => {
    if (mark === '"') isInString = !isInString;
    if (!isInString || mark.endsWith('"') || mark.endsWith('\\')) return mark;
    return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
