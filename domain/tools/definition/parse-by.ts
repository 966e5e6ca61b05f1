import type { z } from 'zod';
import { describeIssue } from '../../core/issues/describe-issue.ts';
import { withUnionIssues } from '../../core/issues/union-issues.ts';
import type { Parsed } from './parsed.ts';

/** Checks the content of a file by a schema; the issue is what is wrong first, in words. */
export function parseBy<S extends z.ZodType>(schema: S, content: unknown): Parsed<z.output<S>> {
  const result = schema.safeParse(content, { error: describeIssue });
  if (result.success) return { value: result.data };
  const [issue] = withUnionIssues(result.error.issues);
  if (issue === undefined) return { issue: 'is not valid' };
  return { issue: issue.path.length === 0 ? issue.message : `${issue.path.map(String).join('.')}: ${issue.message}` };
}
