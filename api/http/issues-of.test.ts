import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { describeIssue } from '../../domain/core/issues.ts';
import { issuesOf } from './problem.ts';

const body = z.strictObject({
  name: z.string().min(1).max(3),
  role: z.enum(['viewer', 'member']),
  size: z.int().min(1).max(1_000),
  tags: z.array(z.string()).max(1),
  id: z.uuid(),
  at: z.iso.datetime(),
  input: z.union([z.string().max(3), z.array(z.union([z.object({ a: z.literal('b', 'only b') }), z.int().min(2)]))]),
  note: z.union([z.string(), z.null()], 'say something'),
  item: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a') }),
    z.object({ kind: z.enum(['b', 'c']).optional() }),
  ]),
  part: z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]),
  own: z.string().refine((text) => text === 'x', 'must be x'),
});
const good = {
  name: 'a',
  role: 'viewer',
  size: 1,
  tags: [],
  id: '0199e9a0-0000-7000-8000-000000000000',
  at: '2026-11-21T00:00:00Z',
  input: '',
  note: 'y',
  item: { kind: 'a' },
  part: { kind: 'a' },
  own: 'x',
};

/** Returns the message for a body in which one field has another value, or none. */
function issueOf(field: string, value: unknown) {
  const { error } = body.safeParse({ ...good, [field]: value }, { error: describeIssue, reportInput: true });
  return error === undefined ? [] : issuesOf(error, 'body').map(({ type, loc, msg }) => [type, loc.at(-1), msg]);
}

describe('a fault', () => {
  test('of a field that is missing is called so', () => {
    for (const field of Object.keys(good))
      expect(issueOf(field, undefined)).toEqual([['missing', field, 'Field required']]);
  });

  test.each([
    ['name', 1, 'must be a text'],
    ['name', '', 'must not be empty'],
    ['name', 'long', 'must have at most 3 characters'],
    ['role', 'boss', 'must be one of: viewer, member'],
    ['role', null, 'must be one of: viewer, member'],
    ['size', 'x', 'must be a number'],
    ['size', 1.5, 'must be a whole number'],
    ['size', 0, 'must be at least 1'],
    ['size', 1_001, 'must be at most 1,000'],
    ['tags', {}, 'must be a list'],
    ['tags', ['a', 'b'], 'must have at most 1 entry'],
    ['id', 'x', 'must be a UUID'],
    ['at', 'yesterday', 'must be a time of ISO 8601 with its offset from UTC'],
    ['own', 'y', 'must be x'],
    ['other', 1, 'this field does not exist'],
    ['input', 'long', 'must have at most 3 characters'],
    ['input', 7, 'must be a text or a list'],
    ['note', 7, 'say something'],
  ])('of %s says what is wrong with %j in words of ours', (field, value, words) => {
    expect(issueOf(field, value).map(([, loc, msg]) => [loc, msg])).toEqual([[field, words]]);
  });

  test('of the field that says which form is meant names what it may be', () => {
    expect(issueOf('item', { kind: 'z' })).toEqual([['invalid_union', 'kind', 'must be one of: a, b, c']]);
    expect(issueOf('part', { kind: 'z' })).toEqual([['invalid_union', 'kind', 'must be a']]);
    expect(issueOf('part', {})).toEqual([['missing', 'kind', 'Field required']]);
    expect(issueOf('part', 7).map(([, , words]) => words)).toEqual(['must be an object']);
  });

  test('within one of several forms is said where it is', () => {
    const found = (value: unknown) => {
      const { error } = body.safeParse({ ...good, input: value }, { error: describeIssue, reportInput: true });
      return error && issuesOf(error, 'body').map(({ loc, msg }) => [loc.slice(1).join('.'), msg]);
    };
    expect(found([{ a: 'c' }])).toEqual([['input.0.a', 'only b']]);
    expect(found([{}, 1, 2, 'x'])).toEqual([
      ['input.0.a', 'only b'],
      ['input.1', 'must be at least 2'],
      ['input.3', 'must be an object or a number'],
    ]);
  });
});
