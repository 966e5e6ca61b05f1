import { XMLBuilder } from 'fast-xml-parser';
import Papa from 'papaparse';
import { stringify as writeToml } from 'smol-toml';
import { stringify as writeYaml } from 'yaml';
import type { DataFormat } from '../job.ts';

const WRITERS: Readonly<Record<DataFormat, (value: unknown) => string>> = {
  json: (value) => JSON.stringify(value, null, 2) ?? 'null',
  yaml: (value) => writeYaml(value, { aliasDuplicateObjects: false }),
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
  try {
    return writeToml(value);
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
  return builder.build(isRooted ? value : { root: content });
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
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
