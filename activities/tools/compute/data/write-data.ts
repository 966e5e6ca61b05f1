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
