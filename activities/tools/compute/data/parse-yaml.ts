import { type Document, parseAllDocuments, visit } from 'yaml';
import { sourceNumber } from '../../../../domain/core/objects/exact-json.ts';
import { isObject } from '../../../../domain/core/objects/is-object.ts';

const MAX_ALIASES = 100;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses YAML; its numbers stay what they are, as those of `parseExactJson` do. Several documents are a list of them.
 */
export function parseYaml(text: string): unknown {
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
