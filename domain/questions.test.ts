import { expect, test } from '@jest/globals';
import { mayAnswer, readNamedPerson, rolesAnsweredBy } from './questions.ts';
import { ROLES } from './permissions/keys.ts';

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
  const ofAdmins = { question: { userId: null, role: 'admin' }, escalatedTo: null } as const;
  const roles = ROLES.map((role) => mayAnswer(ofAdmins, { userId: 'ada', role }));
  expect(roles).toEqual([false, false, true, true]);
  const ofGrace = { question: { userId: 'grace', role: null }, escalatedTo: null };
  expect(mayAnswer(ofGrace, { userId: 'grace', role: 'member' })).toBe(true);
  expect(mayAnswer(ofGrace, { userId: 'ada', role: 'owner' })).toBe(false);
  expect(mayAnswer({ ...ofGrace, escalatedTo: ofAdmins.question }, { userId: 'ada', role: 'owner' })).toBe(true);
  const ofNobody = { question: { userId: null, role: null }, escalatedTo: null };
  expect(mayAnswer(ofNobody, { userId: 'ada', role: 'owner' })).toBe(false);
});

test('the roles whose questions somebody answers are those of their own rank and below', () => {
  expect(rolesAnsweredBy('admin')).toEqual(['viewer', 'member', 'admin']);
});
