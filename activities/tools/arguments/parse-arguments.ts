import type { z } from 'zod';
import { inexactNumberIn, withDigitTexts, withPlainNumbers } from '../../../domain/core/objects/exact-json.ts';
import { withUnionIssues } from '../../../domain/core/issues/union-issues.ts';
import type { CallError, ToolArguments } from '../tool.ts';
import { checkBounds, type Checked, misfit, tooLong } from './checked-arguments.ts';

/** Parses a call's arguments with the zod schema of a builtin tool. */
export function parseArguments<S extends z.ZodObject>(
  key: string,
  schema: S,
  args: unknown,
  { takesDigitTexts = false } = {},
): Checked<z.output<S>> {
  const bounded = checkBounds(key, args);
  if ('error' in bounded) return bounded;
  const inexact = inexactNumberIn(bounded.value);
  if (inexact !== undefined && !takesDigitTexts) return tooLong(key, inexact);
  const given =
    inexact === undefined ? withPlainNumbers(bounded.value) : (withDigitTexts(bounded.value) as ToolArguments);
  const result = schema.safeParse(given);
  if (result.success) return { value: result.data };
  const [issue] = withUnionIssues(result.error.issues);
  return issue === undefined ? misfit(key, [], 'are not valid') : describe(key, issue, given);
}

function describe(key: string, issue: z.core.$ZodIssue, args: ToolArguments): CallError {
  const { path } = issue;
  if (issue.code === 'invalid_type' && valueAt(args, path) === undefined) {
    return misfit(key, path.slice(0, -1), `must have the property ${String(path.at(-1))}`);
  }
  return misfit(key, path, wordsOf(issue));
}

function wordsOf(issue: z.core.$ZodIssue): string {
  const { code } = issue;
  if (code === 'invalid_type') return `must be ${JSON_TYPES[issue.expected] ?? issue.expected}`;
  if (code === 'unrecognized_keys') return `must not have the property ${String(issue.keys[0])}`;
  if (code === 'invalid_value') return `must be one of ${JSON.stringify(issue.values)}`;
  if (code === 'too_small') return `must ${boundWords(issue.origin, '>=', 'fewer', issue.minimum)}`;
  if (code === 'too_big') return `must ${boundWords(issue.origin, '<=', 'more', issue.maximum)}`;
  if (code === 'invalid_format' && issue.pattern !== undefined) return `must match pattern "${issue.pattern}"`;
  return issue.message;
}

const JSON_TYPES: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };

function boundWords(origin: string, sign: string, than: string, bound: number | bigint): string {
  if (origin === 'string') return `NOT have ${than} than ${bound} characters`;
  return origin === 'array' ? `NOT have ${than} than ${bound} items` : `be ${sign} ${bound}`;
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}
