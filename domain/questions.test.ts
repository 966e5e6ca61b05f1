import { expect, test } from '@jest/globals';
import { isAsked, readNamedPerson, rolesAnsweredBy } from './questions.ts';

test.each([
  ['owner', { kind: 'owner' }],
  [' Role: ADMIN ', { kind: 'role', role: 'admin' }],
  ['Grace@Example.com', { kind: 'member', name: 'grace@example.com' }],
  ['role:viewer', undefined],
  ['role:', undefined],
])('reads whom "%s" names', (text, named) => {
  expect(readNamedPerson(text)).toEqual(named);
});

test('a question of a role is answered by its holders and those of higher ones, one of a user by that user', () => {
  const asked = { userId: null, role: 'admin' } as const;
  const isAskedAs = (role: Parameters<typeof isAsked>[1]['role']) => isAsked(asked, { userId: 'ada', role });
  expect([isAskedAs('member'), isAskedAs('admin'), isAskedAs('owner')]).toEqual([false, true, true]);
  expect(isAsked({ userId: 'grace', role: null }, { userId: 'grace', role: 'member' })).toBe(true);
  expect(isAsked({ userId: 'grace', role: null }, { userId: 'ada', role: 'owner' })).toBe(false);
  expect(isAsked({ userId: null, role: null }, { userId: 'ada', role: 'owner' })).toBe(false);
});

test('the roles whose questions somebody answers are those of their own rank and below', () => {
  expect(rolesAnsweredBy('admin')).toEqual(['viewer', 'member', 'admin']);
});
