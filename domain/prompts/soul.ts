import { cut } from '../core/text.ts';
import { defuseFences } from '../tool-calls/fence-line.ts';

/** Free-form entries that describe a character: any JSON object. */
export type Soul = Readonly<Record<string, unknown>>;

/** The longest description; entries beyond it are left out, and the text says so. */
export const MAX_SOUL_CHARACTERS = 4_000;
const MAX_VALUE_CHARACTERS = 500;
const MAX_LABEL_CHARACTERS = 100;
const MAX_LEVELS = 4;

const LEFT_OUT = '- (Further entries are left out.)';
const INDENT = '  ';

/**
 * Writes a soul as a list that a model reads easily: `{ speaking_style: { tone: "dry" } }` becomes an entry "Speaking
 * style" with "Tone: dry" below it. Returns '' when it says nothing.
 */
export function describeSoul(soul: Soul): string {
  const lines: string[] = [];
  let left = MAX_SOUL_CHARACTERS - LEFT_OUT.length;
  for (const line of linesOf(soul, 0)) {
    left -= line.length + 1;
    if (left < 0) {
      lines.push(LEFT_OUT);
      break;
    }
    lines.push(line);
  }
  return lines.length === 0 ? '' : defuseFences(`# Character\n\n${lines.join('\n')}`);
}

/** Joins the soul of a persona with that of an agent: where both have an entry of the same name, the agent's counts. */
export function joinSouls(ofPersona: Soul, ofAgent: Soul): Soul {
  return { ...ofPersona, ...ofAgent };
}

function* linesOf(value: object, level: number): Generator<string, void, undefined> {
  for (const [key, entry] of Object.entries(value)) {
    yield* linesOfEntry(Array.isArray(value) ? '' : labelOf(key), entry, level);
  }
}

function* linesOfEntry(label: string, value: unknown, level: number): Generator<string, void, undefined> {
  const bullet = `${INDENT.repeat(level)}- `;
  const words = wordsOf(value);
  if (words !== undefined) {
    if (words !== '') yield bullet + (label === '' ? words : `${label}: ${words}`);
    return;
  }
  if (level + 1 === MAX_LEVELS) return;
  yield bullet + (label === '' ? 'Entry' : label);
  yield* linesOf(value as object, level + 1);
}

/** Returns what a value says in one line, '' when it says nothing, and `undefined` when it takes several lines. */
function wordsOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return oneLine(value, MAX_VALUE_CHARACTERS);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? '' : undefined;
  const items: unknown[] = value;
  if (items.some((item) => typeof item === 'object' && item !== null)) return undefined;
  const listed = items.map(wordsOf).filter(Boolean).join('; ');
  return listed.length > MAX_VALUE_CHARACTERS ? undefined : listed;
}

function labelOf(key: string): string {
  const apart = key.replaceAll(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`);
  const words = oneLine(apart.replaceAll(/[_-]+/g, ' '), MAX_LABEL_CHARACTERS);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function oneLine(text: string, maxLength: number): string {
  // Cut before blanks are replaced, so that a long value costs no more than a short one.
  const line = cut(text, maxLength + 1)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > maxLength ? `${cut(line, maxLength)} …` : line;
}
