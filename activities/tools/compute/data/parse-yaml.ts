import { type Document, parseAllDocuments, visit } from 'yaml';
import { sourceNumber } from '../../../../domain/core/objects/exact-json.ts';

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
  return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
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
