import type { z } from 'zod';
import { AppError } from '../domain/core/app-error.ts';
import { MAX_JSON_VALUES, parseForeignJson } from '../domain/core/foreign-json.ts';
import { describeIssue, withUnionIssues } from '../domain/core/issues.ts';
import { isStorableJson } from '../domain/core/text.ts';
import type { DefinitionContent } from '../domain/definitions/definition.ts';

/** What is wrong with one file of a definition; the path is '' where it is none of one file. */
export interface FileIssue {
  readonly path: string;
  readonly msg: string;
}

/** The files of a definition break a rule. The issues are shown to whoever sent them. */
export class DefinitionFault extends AppError {
  readonly issues: readonly FileIssue[];

  constructor(issues: readonly FileIssue[]) {
    super('unprocessable', issues.map(({ path, msg }) => (path === '' ? msg : `${path} ${msg}`)).join('; '));
    this.issues = issues;
  }
}

/** Makes the fault of one file. */
export function faultOf(path: string, msg: string): DefinitionFault {
  return new DefinitionFault([{ path, msg }]);
}

const MAX_DEPTH = 40;
const MAX_ISSUES = 10;

/** Parses a definition file that contains a JSON object. */
export function parseJsonObject(path: string, text: string): Record<string, unknown> {
  const parsed = parseForeignJson(text, { maxDepth: MAX_DEPTH });
  if ('issue' in parsed) throw faultOf(path, `is not usable JSON: ${parsed.issue}`);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw faultOf(path, 'must contain a JSON object');
  if (!isStorableJson(value, MAX_DEPTH)) {
    throw faultOf(path, `must be storable text with at most ${MAX_JSON_VALUES} values, and no key "__proto__"`);
  }
  return value as Record<string, unknown>;
}

/** Checks the fields of a definition file; says which are wrong. */
export function parseFields<S extends z.ZodType>(path: string, schema: S, fields: unknown): z.output<S> {
  const result = schema.safeParse(fields, { error: describeIssue });
  if (result.success) return result.data;
  const issues = withUnionIssues(result.error.issues.slice(0, MAX_ISSUES)).map((issue) => {
    const prefix = issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
    return { path, msg: `${prefix}${issue.message}` };
  });
  throw new DefinitionFault(issues);
}

/** The version of a definition that says none. */
export const DEFAULT_VERSION = '1.0.0';

/** What the files of a definition say of its record. */
export type SaidFields = Pick<DefinitionContent, 'key' | 'name' | 'description' | 'category' | 'version'>;
