import { XMLBuilder } from 'fast-xml-parser';
import Papa from 'papaparse';
import { stringify as writeToml } from 'smol-toml';
import { type ScalarTag, stringify as writeYaml } from 'yaml';
import { inexactNumberIn, isSourceNumber, withPlainNumbers } from '../../../../domain/core/objects/exact-json.ts';
import { isObject } from '../../../../domain/core/objects/is-object.ts';
import type { DataFormat } from '../job.ts';

/** Writes numbers as they were written. */
const SOURCE_NUMBER: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isSourceNumber,
  resolve: (text) => text,
  stringify: ({ value }) => JSON.stringify(value),
};

const WRITERS: Readonly<Record<DataFormat, (value: unknown) => string>> = {
  json: (value) => JSON.stringify(value, null, 2) ?? 'null',
  yaml: (value) => writeYaml(value, { aliasDuplicateObjects: false, customTags: (tags) => [SOURCE_NUMBER, ...tags] }),
  toml: toToml,
  xml: toXml,
  csv: toCsv,
};

/** Writes a value in a format. Throws why it cannot. */
export function writeData(value: unknown, format: DataFormat): string {
  return WRITERS[format](value);
}

function toToml(value: unknown): string {
  if (!isRecord(value)) throw new Error('TOML needs an object at the top; put the data under a name');
  const inexact = inexactNumberIn(value);
  if (inexact !== undefined) throw new Error(`The data holds ${inexact}, a number with more digits than TOML keeps`);
  try {
    return writeToml(withPlainNumbers(value));
  } catch (error) {
    throw new Error('The data cannot be written as TOML, which has no null', { cause: error });
  }
}

// XML has one element at the top.
function toXml(value: unknown): string {
  checkForXml(value);
  const names = isRecord(value) ? Object.keys(value) : [];
  const [only] = names;
  const isRooted = isRecord(value) && names.length === 1 && only !== undefined && !Array.isArray(value[only]);
  const content = Array.isArray(value) ? { item: value as unknown[] } : value;
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', format: true });
  return builder.build(withNumbersAsTexts(isRooted ? value : { root: content }));
}

function withNumbersAsTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumbersAsTexts);
  if (isSourceNumber(value)) return value.rawJSON;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withNumbersAsTexts(each)]));
}

const XML_NAME = /^@?[\p{L}_][\p{L}\p{N}\p{M}_.:·-]*$/u;
/** Controls that XML has no way to write. */
const XML_CONTROL = /[^\P{Cc}\t\n\r\u007F-\u009F]/u;

function checkForXml(value: unknown): void {
  if (typeof value === 'string' && XML_CONTROL.test(value))
    throw new Error('A text holds control characters, which XML cannot hold');
  if (Array.isArray(value)) return value.forEach(checkForXml);
  if (!isRecord(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name !== '#text' && !XML_NAME.test(name))
      throw new Error(`"${name.slice(0, 100)}" cannot be the name of an element or attribute of XML; rename it first`);
    checkForXml(inner);
  }
}

function toCsv(value: unknown): string {
  const rows = Array.isArray(value) ? (value as unknown[]) : undefined;
  if (rows === undefined || !rows.every(isRecord))
    throw new Error('CSV needs a list of objects; take the list out of the data first, with json_query');
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => cellText(row[column])));
  return `${Papa.unparse([columns, ...lines], { newline: '\n' })}\n`;
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Date);
}
