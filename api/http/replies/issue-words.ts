import type { ValidationIssue } from '../problem.ts';

/** Returns an issue of a request in one sentence. */
export function describeIssue(issue: ValidationIssue): string {
  return `${fieldOf(issue) ?? issue.loc.join(' ')}: ${issue.msg}`;
}

/** Returns the way to the field that an issue is about; the part of the request, which comes first, is left out. */
export function fieldOf({ loc }: ValidationIssue): string | null {
  const [, ...field] = loc;
  return field.length === 0 ? null : field.join('.');
}
