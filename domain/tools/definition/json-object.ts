import { parseForeignJson } from '../../core/foreign-json.ts';
import type { Parsed } from './parsed.ts';

const MAX_DEPTH = 64;

/** Reads a file of a definition that holds a JSON object. */
export function readJsonObject(text: string): Parsed<Readonly<Record<string, unknown>>> {
  const json = parseForeignJson(text, { maxDepth: MAX_DEPTH });
  if ('issue' in json) return { issue: `it is not JSON: ${json.issue}` };
  const { value } = json;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { issue: 'it must be a JSON object' };
  return { value: value as Readonly<Record<string, unknown>> };
}
