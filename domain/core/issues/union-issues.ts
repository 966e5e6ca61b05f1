import type { z } from 'zod';
import { isMissing, NO_FORM } from './describe-issue.ts';

type Issue = z.core.$ZodIssue;
type UnionIssue = Extract<Issue, { readonly code: 'invalid_union' }>;

/**
 * Returns validation issues in which those of the alternative that was meant stand for the issue of a union, which
 * says only that none fits. That is the one alternative whose type the value has.
 */
export function withUnionIssues(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => (issue.code === 'invalid_union' ? issuesOfUnion(issue) : issue));
}

function issuesOfUnion(union: UnionIssue): Issue[] {
  const meant = union.errors.filter((issues) => issues.length > 0 && !issues.some(isOfAnotherType));
  const [only = union.errors.flat().filter(isOfMissing).slice(0, 1)] = meant;
  if (only.length === 0 || meant.length > 1) return [{ ...union, message: wordsOf(union) }];
  return withUnionIssues(only).map((issue) => ({ ...issue, path: [...union.path, ...issue.path] }));
}

function isOfAnotherType({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

// Only where the input is reported is it known that there is none.
function isOfMissing(issue: Issue): boolean {
  return issue.path.length === 0 && 'input' in issue && isMissing(issue);
}

// A union may say itself what it takes.
function wordsOf({ message, errors }: UnionIssue): string {
  const types = errors.flatMap((issues) => issues.filter(isOfAnotherType).map((issue) => issue.message));
  const isPlain =
    message === NO_FORM && types.length === errors.length && types.every((each) => each.startsWith(MUST_BE));
  return isPlain ? MUST_BE + types.map((each) => each.slice(MUST_BE.length)).join(' or ') : message;
}

const MUST_BE = 'must be ';
