import { isMap, isScalar, parseDocument } from 'yaml';
import { isStorableJson } from '../domain/core/text.ts';
import { splitFrontMatter } from '../domain/definitions/files.ts';
import { faultOf } from './definition-fault.ts';

/** A Markdown file that begins with fields in YAML. */
export interface FrontMatter {
  /** Every field, known or not. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What follows the fields. */
  readonly body: string;
}

const MAX_CHARACTERS = 16 * 1024;
const MAX_DEPTH = 10;

/**
 * Reads the fields at the beginning of a Markdown file, between two lines of three hyphens. YAML's anchors, tags and
 * repeated keys are rejected. What other programs take for a text without quotes is one.
 */
export function readFrontMatter(path: string, text: string): FrontMatter {
  const split = splitFrontMatter(text);
  if (split === undefined) throw faultOf(path, 'must begin with front matter: fields in YAML between two lines of ---');
  const { fields, body } = split;
  if (fields.length > MAX_CHARACTERS)
    throw faultOf(path, `must have at most ${MAX_CHARACTERS} characters of front matter`);
  return { fields: parseYaml(path, fields), body };
}

/**
 * Returns the file with other values for some of its fields, each named by its path; everything else, comments
 * included, stays as it is written.
 */
export function writeFrontMatter(
  text: string,
  changes: readonly (readonly [path: readonly string[], value: string])[],
): string {
  const split = splitFrontMatter(text);
  if (split === undefined || changes.length === 0) return text;
  const document = parseDocument(quotePlainTexts(split.fields), { schema: 'core' });
  for (const [path, value] of changes) document.setIn(path, value);
  const start = text.indexOf('\n') + 1;
  return `${text.slice(0, start)}${document.toString({ lineWidth: 0 })}${text.slice(start + split.fields.length)}`;
}

function parseYaml(path: string, text: string): Record<string, unknown> {
  const [issue, value] = attempt(text);
  if (issue !== undefined) throw faultOf(path, `has front matter that is not usable YAML: ${issue}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw faultOf(path, 'must have front matter with fields, such as name and description');
  if (!isStorableJson(value, MAX_DEPTH))
    throw faultOf(path, `must have front matter of storable text that nests at most ${MAX_DEPTH} levels`);
  return value as Record<string, unknown>;
}

// Deep nesting overflows the parser's stack, which is an issue like any other.
function attempt(text: string): readonly [string | undefined, unknown] {
  try {
    const document = parseDocument(quotePlainTexts(text), {
      schema: 'core',
      uniqueKeys: true,
      logLevel: 'error',
      prettyErrors: true,
    });
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) return [error.message.split('\n')[0]?.replace(/:$/, '') ?? 'it cannot be read', undefined];
    return [undefined, document.toJS({ maxAliasCount: 0 })];
  } catch (error) {
    return [error instanceof RangeError ? 'it nests too deep' : String(error), undefined];
  }
}

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
function quotePlainTexts(fields: string): string {
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
