import type { z } from 'zod';
import { isObject } from './objects.ts';
import { cut } from './text.ts';

type RawIssue = z.core.$ZodRawIssue;

type WordsOf = { readonly [C in RawIssue['code']]: (issue: Extract<RawIssue, { readonly code: C }>) => string };

/** The message for a value that fits no alternative, unless there is a better one. */
const NO_FORM = 'matches none of the allowed forms';

const WORDS: Pick<
  WordsOf,
  | 'invalid_type'
  | 'too_small'
  | 'too_big'
  | 'invalid_format'
  | 'invalid_value'
  | 'invalid_union'
  | 'invalid_key'
  | 'unrecognized_keys'
> = {
  invalid_type: ({ expected }) => `must be ${TYPES[expected] ?? 'of another type'}`,
  too_small: ({ origin, minimum }) => sizeWords(origin, Number(minimum), 'at least'),
  too_big: ({ origin, maximum }) => sizeWords(origin, Number(maximum), 'at most'),
  invalid_format: ({ format }) => `must be ${FORMATS[format] ?? 'of the right form'}`,
  invalid_value: ({ values }) => choiceWords(values),
  invalid_union: ({ options }) =>
    Array.isArray(options) ? choiceWords(options.filter((value) => value !== undefined)) : NO_FORM,
  invalid_key: ({ issues: [issue] }) => `has a name that ${issue?.message ?? 'is not valid'}`,
  unrecognized_keys: ({ keys }) => `has fields that do not exist: ${namesOf(keys)}`,
};

/** The most names that one sentence lists, and the characters of each. */
const MAX_NAMES = 5;
const MAX_NAME = 60;

function namesOf(keys: readonly string[]): string {
  return keys
    .slice(0, MAX_NAMES)
    .map((key) => cut(key, MAX_NAME))
    .join(', ');
}

/** Describes a validation issue in words that do not depend on the validation library. */
export function describeIssue(issue: RawIssue): string {
  if (isMissing(issue)) return 'Field required';
  const words = (WORDS as Readonly<Record<string, ((issue: RawIssue) => string) | undefined>>)[issue.code];
  return words?.(issue) ?? 'is not valid';
}

interface FieldIssue {
  readonly code: string;
  readonly input?: unknown;
  /** The field that says which alternative of a union is meant; the issue is about this field of `input`. */
  readonly discriminator?: string | undefined;
}

/** Returns whether a required field is missing. */
export function isMissing({ code, input, discriminator }: FieldIssue): boolean {
  if (discriminator !== undefined) return isObject(input) && input[discriminator] === undefined;
  return input === undefined && (code === 'invalid_type' || code === 'invalid_value');
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  email: 'an e-mail address',
  datetime: 'a time of ISO 8601 with its offset from UTC',
  url: 'a URL',
};

function choiceWords(values: readonly unknown[]): string {
  return `must be ${values.length === 1 ? '' : 'one of: '}${values.map(String).join(', ')}`;
}

function sizeWords(origin: string, size: number, bound: 'at least' | 'at most'): string {
  const number = size.toLocaleString('en');
  if (origin !== 'string' && origin !== 'array') return `must be ${bound} ${number}`;
  if (bound === 'at least' && size === 1) return 'must not be empty';
  const [one, many] = origin === 'string' ? ['character', 'characters'] : ['entry', 'entries'];
  return `must have ${bound} ${number} ${size === 1 ? one : many}`;
}

type Issue = z.core.$ZodIssue;
type UnionIssue = Extract<Issue, { readonly code: 'invalid_union' }>;

/**
 * Replaces the issue of a union, which says only that no alternative fits, by the issues of the one alternative whose
 * type the value has.
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
