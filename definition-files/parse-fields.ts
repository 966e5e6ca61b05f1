import type { z } from 'zod';
import { describeIssue } from '../domain/core/issues/describe-issue.ts';
import { withUnionIssues } from '../domain/core/issues/union-issues.ts';
import { MAX_JSON_VALUES, parseForeignJson } from '../domain/core/foreign-json.ts';
import { isStorableJson } from '../domain/core/text.ts';
import { DefinitionFault, faultOf } from './definition-fault.ts';

const MAX_DEPTH = 40;
const MAX_ISSUES = 10;

/** Parses a definition file that holds a JSON object. */
export function parseJsonObject(path: string, text: string): Record<string, unknown> {
  const parsed = parseForeignJson(text, { maxDepth: MAX_DEPTH });
  if ('issue' in parsed) throw faultOf(path, `is not usable JSON: ${parsed.issue}`);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw faultOf(path, 'must hold a JSON object');
  if (!isStorableJson(value, MAX_DEPTH)) {
    throw faultOf(path, `must hold storable text and at most ${MAX_JSON_VALUES} values, and no key "__proto__"`);
  }
  return value as Record<string, unknown>;
}

/** Checks the fields of a definition file; says which are wrong. */
export function parseFields<S extends z.ZodType>(path: string, schema: S, fields: unknown): z.output<S> {
  const result = schema.safeParse(fields, { error: describeIssue });
  if (result.success) return result.data;
  const issues = withUnionIssues(result.error.issues.slice(0, MAX_ISSUES)).map((issue) => {
    const place = issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
    return { path, msg: `${place}${issue.message}` };
  });
  throw new DefinitionFault(issues);
}
