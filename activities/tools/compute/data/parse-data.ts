import { XMLParser, XMLValidator } from 'fast-xml-parser';
import Papa from 'papaparse';
import { parse, TomlError } from 'smol-toml';
import { type Document, parseAllDocuments, visit } from 'yaml';
import { parseExactJson, sourceNumber } from '../../../../domain/core/exact-json.ts';
import { isObject } from '../../../../domain/core/objects.ts';
import type { DataFormat } from '../job.ts';
import { checkParsed, checkRow, headerOf, requireDistinct } from './table.ts';

const MAX_NESTED = 100;

const MAX_ALIASES = 100;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const PARSERS: Readonly<Record<DataFormat, (text: string) => unknown>> = {
  json: parseExactJson,
  yaml: parseYaml,
  toml: parseToml,
  xml: parseXml,
  csv: parseCsv,
};

/** Parses data of a format. Throws what is wrong with it. */
export function parseData(text: string, format: DataFormat): unknown {
  try {
    return PARSERS[format](text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const issue = error instanceof Error ? error.message : '';
    throw new Error(`The data is not ${format.toUpperCase()}: ${issue}`, { cause: error });
  }
}

// Values stay texts, so that 007 and 1.10 stay what they are.
function parseXml(text: string): unknown {
  if (/<!ENTITY/i.test(text)) throw new Error('entities of its own are not read');
  const checked = XMLValidator.validate(text);
  if (checked !== true) throw new Error(`${checked.err.msg} (line ${checked.err.line})`);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    parseAttributeValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    // Without this, references to characters by their numbers stay as they are.
    htmlEntities: true,
    maxNestedTags: MAX_NESTED,
  });
  return parser.parse(text) as unknown;
}

function parseCsv(text: string): unknown {
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy' });
  checkParsed(errors);
  const [names = [], ...rows] = data;
  const header = headerOf(names);
  requireDistinct(header);
  return rows.map((row, index) => {
    checkRow(row, header.length, index + 2);
    return Object.fromEntries(header.map((name, place) => [name, row[place] ?? '']));
  });
}

/** Parses TOML. Throws for a number that other formats do not have. */
function parseToml(text: string): unknown {
  const value = parseLines(text);
  requireNumbers(value);
  return value;
}

// The library's messages hold the whole line, which may be long.
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
    Scalar: (key, node) => {
      if (key !== 'key') node.value = exact(node.value, node.source);
    },
  });
  return withPlainValues(document.toJS({ maxAliasCount: MAX_ALIASES }));
}

// Other formats have neither sets nor ordered maps, and bytes and times as texts only.
function withPlainValues(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Set) return [...value].map(withPlainValues);
  if (Array.isArray(value)) return value.map(withPlainValues);
  if (!(value instanceof Map) && !isObject(value)) return value;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([name, each]) => [String(name), withPlainValues(each)]));
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
