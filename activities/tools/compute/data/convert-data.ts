import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser';
import Papa from 'papaparse';
import { parse, stringify as writeToml, TomlError } from 'smol-toml';
import {
  type Document,
  isScalar as isYamlScalar,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type ScalarTag,
  stringify as writeYaml,
  visit,
} from 'yaml';
import { Validator } from '@cfworker/json-schema';
import {
  inexactNumberIn,
  isSourceNumber,
  parseExactJson,
  sourceNumber,
  withPlainNumbers,
} from '../../../../domain/core/exact-json.ts';
import { isObject } from '../../../../domain/core/objects.ts';
import type { ConvertJob, DataFormat } from '../job.ts';
import { checkParsed, checkRow, headerOf, requireDistinct } from './table.ts';
import { readText } from '../../../core/texts/read-text.ts';

const MAX_ERRORS = 20;
/** Keywords that only say that a part below does not fit, which says so itself. */
const OUTER = new Set(['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems', '$ref']);
/** Replaces a value that must not be there. */
const BANNED = 'false';

/** The result of a conversion: the text in the other format, and what does not match the schema. */
interface Converted {
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
  yaml: toYaml,
  toml: toToml,
  xml: toXml,
  csv: toCsv,
};

/** Writes a value in a format. Throws why it cannot. */
function writeData(value: unknown, format: DataFormat): string {
  return WRITERS[format](value);
}

// Many readers know YAML 1.1 only, in which `yes` is a truth value.
function toYaml(value: unknown): string {
  return writeYaml(value, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: (tags) => [SOURCE_NUMBER, ...tags],
  });
}

function toToml(value: unknown): string {
  if (!isRecord(value)) throw new Error('TOML needs an object at the top; put the data under a name');
  const inexact = inexactNumberIn(value);
  if (inexact !== undefined)
    throw new Error(`The data contains ${inexact.slice(0, 100)}, a number with more digits than TOML keeps`);
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
    processEntities: false,
    tagValueProcessor: (_name, text) => escaped(String(text), NOT_IN_TEXT),
    attributeValueProcessor: (_name, text) => escaped(String(text), NOT_IN_ATTRIBUTE),
  });
  return builder.build(withTexts(isRooted ? value : { root: content }));
}

/** Characters that readers of XML take for markup, or read as others. */
const NOT_IN_TEXT = /[<>&\r]/g;
const NOT_IN_ATTRIBUTE = /[<>&"\r\n\t]/g;
const ENTITIES: Readonly<Record<string, string>> = { '<': 'lt', '>': 'gt', '&': 'amp', '"': 'quot' };

function escaped(text: string, characters: RegExp): string {
  return text.replaceAll(characters, (character) => `&${ENTITIES[character] ?? `#${character.codePointAt(0)}`};`);
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
    throw new Error('A text contains control characters, which XML does not allow');
  if (Array.isArray(value)) checkListForXml(value);
  if (!isRecord(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name !== '#text' && !XML_NAME.test(name))
      throw new Error(`"${name.slice(0, 100)}" cannot be the name of an element or attribute of XML; rename it first`);
    if (isOfElement(name) && !isScalar(inner))
      throw new Error(`"${name.slice(0, 100)}" can contain only a text, a number or a truth value in XML`);
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
  const lines = rows.map((row) => columns.map((column) => cellText(Object.hasOwn(row, column) ? row[column] : null)));
  return `${Papa.unparse([columns, ...lines], { newline: '\n' })}\n`;
}

function cellText(value: unknown): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Date);
}

const MAX_NESTED = 100;

const MAX_ALIASES = 100;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const PARSERS: Readonly<Record<DataFormat, (text: string) => unknown>> = {
  json: parseJson,
  yaml: parseYaml,
  toml: parseToml,
  xml: parseXml,
  csv: parseCsv,
};

/** Parses data of a format. Throws what is wrong with it. */
function parseData(text: string, format: DataFormat): unknown {
  try {
    return PARSERS[format](text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // Data that nests too deep, or within itself, overflows the stack.
    if (error instanceof RangeError) throw error;
    const issue = error instanceof Error ? error.message : '';
    throw new Error(`The data is not ${format.toUpperCase()}: ${issue}`, { cause: error });
  }
}

const JSON_SIGN = /\\.|["{}]/gs;
const COLON = /\s*:/y;

function parseJson(text: string): unknown {
  const value = parseExactJson(text);
  requireDistinctNames(text);
  return value;
}

// Of several values of one name, the parser keeps the last.
function requireDistinctNames(json: string): void {
  const objects: Set<string>[] = [];
  let start: number | undefined;
  for (const { 0: sign, index } of json.matchAll(JSON_SIGN)) {
    if (sign === '"' && start !== undefined) {
      COLON.lastIndex = index + 1;
      if (COLON.test(json)) addName(JSON.parse(json.slice(start, index + 1)) as string, objects.at(-1));
      start = undefined;
    } else if (start === undefined) {
      if (sign === '"') start = index;
      else if (sign === '{') objects.push(new Set());
      else objects.pop();
    }
  }
}

function addName(name: string, names: Set<string> | undefined): void {
  if (names?.has(name) === true) throw new Error(`an object has "${name.slice(0, 100)}" twice`);
  names?.add(name);
}

// Values stay texts, so that 007 and 1.10 stay what they are.
function parseXml(text: string): unknown {
  if (/<!ENTITY/i.test(text)) throw new Error('entities of its own are not read');
  const checked = XMLValidator.validate(text);
  if (checked !== true) throw new Error(`${checked.err.msg} (line ${checked.err.line})`);
  requireRead(text);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    // Without this, references to characters by their numbers stay as they are.
    htmlEntities: true,
    maxNestedTags: MAX_NESTED,
    // Without this, an element with the name of a method gets another one.
    onDangerousProperty: (name) => name,
  });
  return withoutLayout(parser.parse(text));
}

const UNPARSED = /<!\[CDATA\[[^]*?\]\]>|<!--[^]*?-->|<\?[^]*?\?>/g;
const MORE_AFTER_EMPTY_ELEMENT = /^\s*(?:<!DOCTYPE[^<>]*>\s*)?<(?:[^<>"']|"[^"]*"|'[^']*')*\/>\s*\S/i;
const REFERENCE = /&#(?:x(?<hex>[\da-f]+)|(?<decimal>\d+));/gi;
const MAX_CODE_POINT = 0x10ffff;

/** Throws for what the library passes over: more than one element at the top, and references to no character of XML. */
function requireRead(xml: string): void {
  const parsed = xml.replaceAll(UNPARSED, '');
  if (MORE_AFTER_EMPTY_ELEMENT.test(parsed)) throw new Error('something follows the element at the top');
  for (const { 0: reference, groups } of parsed.matchAll(REFERENCE)) {
    const { hex, decimal } = groups ?? {};
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code > MAX_CODE_POINT || NOT_IN_XML.test(String.fromCodePoint(code)))
      throw new Error(`${reference.slice(0, 20)} is no character of XML`);
  }
}

// Blanks between elements are none of the data.
function withoutLayout(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLayout);
  if (!isRecord(value)) return value;
  const hasElements = Object.keys(value).some((name) => !isOfElement(name));
  const isLayout = (name: string, each: unknown) =>
    hasElements && name === '#text' && typeof each === 'string' && each.trim() === '';
  const entries = Object.entries(value).filter(([name, each]) => !isLayout(name, each));
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutLayout(each)]));
}

function parseCsv(text: string): unknown {
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy' });
  checkParsed(errors);
  const [names = [], ...rows] = data;
  const header = headerOf(names);
  requireDistinct(header);
  return rows.map((row, index) => {
    checkRow(row, header.length, index + 2);
    return Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
  });
}

/** Parses TOML. Throws for a number that other formats do not have. */
function parseToml(text: string): unknown {
  const value = parseLines(text);
  requireNumbers(value);
  return value;
}

// The library's messages contain the whole line, which may be long.
function parseLines(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [issue = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n', 1);
    throw new Error(`${issue.slice(0, 100)} (line ${error.line}, column ${error.column})`, { cause: error });
  }
}

function requireNumbers(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`${value} is no number that other formats have`);
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(requireNumbers);
}

/**
 * Parses YAML; its numbers stay what they are, as those of `parseExactJson` do. Several documents are a list of them.
 */
function parseYaml(text: string): unknown {
  const values = [...parseAllDocuments(text, { intAsBigInt: true, merge: true })].map(valueOf);
  return values.length > 1 ? values : (values[0] ?? null);
}

function valueOf(document: Document.Parsed): unknown {
  const [error] = document.errors;
  if (error !== undefined) throw error;
  visit(document, {
    // Only afterwards do their keys become texts.
    Map: (_key, { items }) => requireDistinctKeys(items),
    Scalar: (key, node) => {
      node.value = key === 'key' ? keyOf(node) : exact(node.value, node.source);
    },
  });
  return withPlainValues(document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: true }));
}

// The keys of other formats are texts: a number stays what was written. The key with which others are merged is none.
function keyOf({ value, source }: Scalar): unknown {
  return typeof value === 'string' || typeof value === 'symbol' ? value : source;
}

function requireDistinctKeys(items: readonly Pair[]): void {
  const names = new Set<string>();
  for (const { key } of items) {
    const name = isYamlScalar(key) ? keyOf(key) : undefined;
    if (typeof name === 'string') addName(name, names);
  }
}

// Other formats have neither sets nor ordered maps, and bytes and times as texts only.
function withPlainValues(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Set) return [...value].map(withPlainValues);
  if (Array.isArray(value)) return value.map(withPlainValues);
  return value instanceof Map ? objectOf(value) : value;
}

function objectOf(map: ReadonlyMap<unknown, unknown>): unknown {
  return Object.fromEntries([...map].map(([key, value]) => [nameOf(key), withPlainValues(value)]));
}

function nameOf(key: unknown): string {
  if (isSourceNumber(key)) return key.rawJSON;
  if (typeof key === 'object' && key !== null) throw new Error('a list or a map cannot be the name of a value');
  return String(key);
}

function exact(value: unknown, source: string | undefined): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : sourceNumber(String(value));
  }
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  if (JSON_NUMBER.test(source)) return sourceNumber(source);
  if (!Number.isFinite(value)) throw new Error(`${source} is no number that other formats have`);
  return value;
}
