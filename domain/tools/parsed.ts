import type { z } from 'zod';
import { parseForeignJson } from '../core/foreign-json.ts';
import { describeIssue, withUnionIssues } from '../core/issues.ts';

/** The value of a file, or its fault, in words that follow the name of the file. */
export type Parsed<T> = { readonly value: T } | { readonly issue: string };

/** An error while something is read; caught by `parsed`. */
class ReadIssue extends Error {}

/** Returns a value that was read, or ends the reading with what is wrong. */
export function valueOf<T>(parsed: Parsed<T>, location = ''): T {
  if ('value' in parsed) return parsed.value;
  return failRead(location === '' ? parsed.issue : `${location}: ${parsed.issue}`);
}

/** Ends the reading with what is wrong. */
export function failRead(issue: string): never {
  throw new ReadIssue(issue);
}

/** Reads with functions that end at what is wrong first. */
export function parsed<T>(read: () => T): Parsed<T> {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ReadIssue) return { issue: error.message };
    throw error;
  }
}

/** Checks the content of a file by a schema; the issue is what is wrong first, in words. */
export function parseBy<S extends z.ZodType>(schema: S, content: unknown): Parsed<z.output<S>> {
  const result = schema.safeParse(content, { error: describeIssue });
  if (result.success) return { value: result.data };
  const [issue] = withUnionIssues(result.error.issues);
  if (issue === undefined) return { issue: 'is not valid' };
  return { issue: issue.path.length === 0 ? issue.message : `${issue.path.map(String).join('.')}: ${issue.message}` };
}

const MAX_DEPTH = 64;

/** Parses a file of a definition that contains a JSON object. */
export function readJsonObject(text: string): Parsed<Readonly<Record<string, unknown>>> {
  const json = parseForeignJson(text, { maxDepth: MAX_DEPTH });
  if ('issue' in json) return { issue: `it is not JSON: ${json.issue}` };
  const { value } = json;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { issue: 'it must be a JSON object' };
  return { value: value as Readonly<Record<string, unknown>> };
}
