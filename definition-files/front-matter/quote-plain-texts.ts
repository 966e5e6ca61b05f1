import { isMap, isScalar, parseDocument } from 'yaml';

/** A field whose value begins in its line. */
const FIELD = /^(?<indent> *)(?<name>[\w.-]+):[ \t]+(?<value>[^\s#].*)$/;
const BLOCK_TEXT = /^[|>][-+\d]*\s*(?:#.*)?$/;
const COMMENT = /(?:^|\s)#[^]*/;
/** Those with more fields are left to YAML, since each field is parsed by itself. */
const MAX_FIELDS = 200;
/** What was begun in YAML and not ended. */
const UNFINISHED = /^(?:\[[^\]]*|\{[^}]*|"[^"]*|'[^']*)$/;

/**
 * Returns fields in YAML with quotes around the values that other programs take for texts although YAML does not, such
 * as `Writes mails: short ones`. Returns fields that YAML takes as they are.
 */
export function quotePlainTexts(fields: string): string {
  const lines = fields.split('\n');
  if (lines.filter((line) => fieldIn(line) !== undefined).length > MAX_FIELDS || isReadable(fields)) return fields;
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
  const { indent = '', name, value = '' } = fieldIn(entry[0]) ?? {};
  const text = [value, ...entry.slice(1)]
    .map((part) => part.replace(COMMENT, '').trim())
    .join(' ')
    .trim();
  if (name === undefined || BLOCK_TEXT.test(value) || UNFINISHED.test(text)) return entry;
  return isReadable(entry.join('\n')) ? entry : [`${indent}${name}: ${JSON.stringify(text)}`];
}

// Of `[Beta]: x` the library makes a list, and a field without a name.
function isReadable(text: string): boolean {
  const { errors, contents } = parseDocument(text, { schema: 'core', logLevel: 'error' });
  const fields = isMap(contents) ? contents.items : [];
  return errors.length === 0 && fields.every(({ key }) => isScalar(key) && key.value !== null && key.value !== '');
}

// The lines of a value are indented further than its name.
function entryAt(lines: readonly string[], start: number): readonly string[] {
  const { indent } = fieldIn(lines[start]) ?? {};
  let end = start + 1;
  if (indent !== undefined) while (isWithin(lines[end], indent.length)) end += 1;
  return lines.slice(start, end);
}

function isWithin(line: string | undefined, indent: number): boolean {
  return line !== undefined && (line.trim() === '' || line.search(/\S/) > indent);
}

function fieldIn(line = ''): Readonly<Record<string, string>> | undefined {
  return FIELD.exec(line.trimEnd())?.groups;
}
