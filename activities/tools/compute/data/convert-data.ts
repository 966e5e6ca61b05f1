import { Validator } from '@cfworker/json-schema';
import { readText } from '../../../core/texts/read-text.ts';
import type { ConvertJob } from '../job.ts';
import { parseData } from './parse-data.ts';
import { writeData } from './write-data.ts';

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
