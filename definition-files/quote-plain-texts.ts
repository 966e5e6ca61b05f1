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
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const { indent = '', name = '', value = '' } = FIELD.exec(line.trimEnd())?.groups ?? {};
    const end = name === '' ? at + 1 : endOfField(lines, at, indent.length);
    const entry = lines.slice(at, end);
    const text = [value, ...entry.slice(1)]
      .map((part) => part.trim())
      .join(' ')
      .trim();
    const isBroken = name !== '' && !BLOCK_TEXT.test(value) && !UNFINISHED.test(text) && !isReadable(entry.join('\n'));
    quoted.push(...(isBroken ? [`${indent}${name}: ${JSON.stringify(text)}`] : entry));
    at = end;
  }
  return quoted.join('\n');
}

function isReadable(text: string): boolean {
  return parseDocument(text, { schema: 'core', logLevel: 'error' }).errors.length === 0;
}

// The lines of a value are indented further than its name.
function endOfField(lines: readonly string[], start: number, indent: number): number {
  const next = lines.findIndex((line, at) => at > start && line.trim() !== '' && line.search(/\S/) <= indent);
  return next < 0 ? lines.length : next;
}
