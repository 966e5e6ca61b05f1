import { type Parsed, parseForeignJson } from '../core/foreign-json.ts';
import { isObject } from '../core/objects.ts';
import { toStorableText } from '../core/text.ts';

const EXACT = { isExact: true };

/**
 * Parses JSON that a model wrote, with its numbers as it wrote them. Models also write line breaks and tabs into
 * strings as they are, which JSON does not allow; they are accepted as their escapes.
 */
export function parseJson(text: string): Parsed {
  const strict = parseForeignJson(text, EXACT);
  if ('value' in strict) return strict;
  const repaired = hasControls(text) ? parseForeignJson(escapeControls(text), EXACT) : strict;
  return 'value' in repaired ? repaired : { ...strict, issue: quote(strict.issue) };
}

/**
 * Returns the arguments of a call. `null`, which several servers send, means none, and a string is parsed as JSON.
 * Undefined for anything that is not an object.
 */
export function toArguments(given: unknown): Record<string, unknown> | undefined {
  if (given === undefined || given === null || given === '') return {};
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

/**
 * Follows JSON text as it comes, only as far as needed to say where it ends: whether it is inside a string, and how
 * deep inside objects and lists. Never throws; whether the text is valid JSON is for a parser to say.
 */
export class JsonScanner {
  #isInString = false;
  #isEscaped = false;
  #depth = 0;
  #hasBegun = false;

  get isInString(): boolean {
    return this.#isInString;
  }

  /** Whether all that was opened has been closed again. */
  get isBalanced(): boolean {
    return this.#hasBegun && this.#depth <= 0 && !this.#isInString;
  }

  /** Adds the next text; returns the last index in it after which everything was closed again. */
  feed(text: string): number | undefined {
    let end: number | undefined;
    for (let index = 0; index < text.length; index += 1) {
      const character = text.charAt(index);
      if (this.#isInString) this.#inString(character);
      else if (this.#outsideStrings(character)) end = index + 1;
    }
    return end;
  }

  #inString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }

  #outsideStrings(character: string): boolean {
    switch (character) {
      case '"':
        this.#isInString = true;
        return false;
      case '{':
      case '[':
        this.#hasBegun = true;
        this.#depth += 1;
        return false;
      case '}':
      case ']':
        this.#depth -= 1;
        return this.isBalanced;
      default:
        return false;
    }
  }
}

const MAX_QUOTED_CHARACTERS = 200;

/** `text` in one line and cut, for a sentence that says what is wrong with it. */
export function quote(text: string): string {
  const line = text.slice(0, MAX_QUOTED_CHARACTERS).replaceAll(/\s+/g, ' ').trim();
  return toStorableText(text.length > MAX_QUOTED_CHARACTERS ? `${line} …` : line);
}
