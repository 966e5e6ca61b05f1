import { Validator } from '@cfworker/json-schema';
import { XMLBuilder } from 'fast-xml-parser';
import Papa from 'papaparse';
import { stringify as writeToml } from 'smol-toml';
import { type ScalarTag, stringify as writeYaml } from 'yaml';
import { inexactNumberIn, isSourceNumber, withPlainNumbers } from '../../../../domain/core/exact-json.ts';
import { isObject } from '../../../../domain/core/objects.ts';
import { readText } from '../../../core/texts/read-text.ts';
import type { ConvertJob, DataFormat } from '../job.ts';
import { parseData } from './parse-data.ts';

const MAX_ERRORS = 20;
/** Keywords that only say that a part below does not fit, which says so itself. */
const OUTER = new Set(['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems', '$ref']);
/** What stands for a value that must not be there. */
const BANNED = 'false';

/** What became of data: its text in the other format, and what does not fit the schema. */
export interface Converted {
  readonly text?: string;
  readonly errors?: readonly { readonly at: string; readonly message: string }[];
}

/** Parses data, checks it by a schema if there is one, and writes it in another format if it fits. */
export function convertData({ content, from, to, schema }: ConvertJob): Converted {
  const text = readText(Buffer.from(content, 'base64')).text;
  const value = parseData(text, from);
  const errors = schema === undefined ? undefined : errorsOf(schema, value);
  const isWritten = to !== undefined && (errors === undefined || errors.length === 0);
  return { ...(errors && { errors }), ...(isWritten && { text: writeData(value, to) }) };
}

// The schema is interpreted: the process may not make code of it.
function errorsOf(schema: Readonly<Record<string, unknown>>, value: unknown) {
  // Values of other formats, such as dates, are texts to a schema.
  const plain: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  const { errors } = new Validator(schema, '2020-12', false).validate(plain);
  const units = errors.filter(({ keyword }) => !OUTER.has(keyword));
  const faults = units.filter(({ keyword }) => keyword !== BANNED).map(({ instanceLocation }) => instanceLocation);
  // The library takes a property that does not fit for one that must not be there, too.
  const isKnown = (at: string) => faults.some((fault) => fault === at || fault.startsWith(`${at}/`));
  return units
    .filter(({ keyword, instanceLocation }) => keyword !== BANNED || !isKnown(instanceLocation))
    .slice(0, MAX_ERRORS)
    .map(({ keyword, instanceLocation, error }) => ({
      at: instanceLocation.slice(1) || '/',
      message: keyword === BANNED ? 'It must not be there.' : error,
    }));
}

/** Writes numbers as they were written. */
const SOURCE_NUMBER: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isSourceNumber,
  resolve: (text) => text,
  stringify: ({ value }) => JSON.stringify(value),
};

const XML_NAME = /^@?[\p{L}_][\p{L}\p{N}\p{M}_.:·-]*$/u;
/** Characters that XML has no way to write: most controls, halves of others, and two that are none. */
const NOT_IN_XML = /[^\P{Cc}\t\n\r\u007F-\u009F]|[\p{Cs}\uFFFE\uFFFF]/u;

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
  if (inexact !== undefined)
    throw new Error(`The data holds ${inexact.slice(0, 100)}, a number with more digits than TOML keeps`);
  if (hasNull(value)) throw new Error('The data cannot be written as TOML, which has no null');
  return writeToml(withPlainNumbers(value));
}

function hasNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(hasNull));
}

// XML has one element at the top.
function toXml(value: unknown): string {
  checkForXml(value);
  const names = isRecord(value) ? Object.keys(value) : [];
  const [only] = names;
  const isElement = only !== undefined && !isOfElement(only);
  const isRooted = isRecord(value) && names.length === 1 && isElement && !Array.isArray(value[only]);
  const content = Array.isArray(value) ? { item: value as unknown[] } : value;
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressBooleanAttributes: false,
    format: true,
  });
  return builder.build(withTexts(isRooted ? value : { root: content }));
}

// The library would write these in forms of its own.
function withTexts(value: unknown): unknown {
  // The library would leave these out, and so change the order.
  if (Array.isArray(value)) return value.map((each) => withTexts(each ?? ''));
  if (value instanceof Date) return value.toISOString();
  if (isSourceNumber(value)) return value.rawJSON;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each)]));
}

function checkForXml(value: unknown): void {
  if (typeof value === 'string' && NOT_IN_XML.test(value))
    throw new Error('A text holds control characters, which XML cannot hold');
  if (Array.isArray(value)) checkListForXml(value);
  if (!isRecord(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name !== '#text' && !XML_NAME.test(name))
      throw new Error(`"${name.slice(0, 100)}" cannot be the name of an element or attribute of XML; rename it first`);
    if (isOfElement(name) && !isScalar(inner))
      throw new Error(`"${name.slice(0, 100)}" can hold only a text, a number or a truth value in XML`);
    checkForXml(inner);
  }
}

function checkListForXml(list: readonly unknown[]): void {
  if (list.length === 0) throw new Error('An empty list has no elements of XML; leave it out first');
  if (list.some(Array.isArray)) throw new Error('A list within a list has no elements of XML; give it a name first');
  list.forEach(checkForXml);
}

function isScalar(value: unknown): boolean {
  return value !== null && !isRecord(value) && !Array.isArray(value);
}

/** Returns whether what has this name is an attribute or the text of the element around it. */
function isOfElement(name: string): boolean {
  return name === '#text' || name.startsWith('@');
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
