import { parseDocument } from 'yaml';

/** A field whose value begins in its line. */
const FIELD = /^(?<indent> *)(?<name>[\w.-]+):[ \t]+(?<value>\S.*)$/;
const BLOCK_TEXT = /^[|>][-+\d]*\s*(?:#.*)?$/;
/** What was begun in YAML and not ended. */
const UNFINISHED = /^(?:\[[^\]]*|\{[^}]*|"[^"]*|'[^']*)$/;

/**
 * Returns fields in YAML with quotes around the values that other programs take for texts although YAML does not, such
 * as `Writes mails: short ones`. Returns fields that YAML takes as they are.
 */
export function quotePlainTexts(fields: string): string {
  if (isReadable(fields)) return fields;
  const lines = fields.split('\n');
  const quoted: string[] = [];
  let quotedLines = 1;
  for (let at = 0; at < lines.length; at += quotedLines) {
    const entry = entryAt(lines, at);
    quotedLines = entry.length;
    quoted.push(...quotedEntry(entry));
  }
  return quoted.join('\n');
}

function quotedEntry(entry: readonly string[]): readonly string[] {
  const { indent = '', name, value = '' } = FIELD.exec(entry[0]?.trimEnd() ?? '')?.groups ?? {};
  const text = [value, ...entry.slice(1)]
    .map((part) => part.trim())
    .join(' ')
    .trim();
  if (name === undefined || BLOCK_TEXT.test(value) || UNFINISHED.test(text)) return entry;
  return isReadable(entry.join('\n')) ? entry : [`${indent}${name}: ${JSON.stringify(text)}`];
}

function isReadable(text: string): boolean {
  return parseDocument(text, { schema: 'core', logLevel: 'error' }).errors.length === 0;
}

// The lines of a value are indented further than its name.
function entryAt(lines: readonly string[], start: number): readonly string[] {
  const indent = FIELD.exec(lines[start]?.trimEnd() ?? '')?.groups?.['indent'];
  if (indent === undefined) return lines.slice(start, start + 1);
  const next = lines.findIndex((line, at) => at > start && line.trim() !== '' && line.search(/\S/) <= indent.length);
  return lines.slice(start, next < 0 ? lines.length : next);
}
