import { XMLParser, XMLValidator } from 'fast-xml-parser';
import Papa from 'papaparse';
import { parseExactJson } from '../../../../domain/core/objects/exact-json.ts';
import type { DataFormat } from '../job.ts';
import { checkParsed, checkRow, headerOf, requireDistinct } from './check-table.ts';
import { parseToml } from './parse-toml.ts';
import { parseYaml } from './parse-yaml.ts';

const MAX_NESTED = 100;

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
