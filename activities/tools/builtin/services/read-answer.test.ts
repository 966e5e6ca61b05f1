import { expect, test } from '@jest/globals';
import { pickFields } from './read-answer.ts';

test.each([
  [{ id: 1, url: 'x', note: null }, 'id note title', { id: 1 }],
  [[{ id: 1, url: 'x' }, { id: 2 }], 'id', [{ id: 1 }, { id: 2 }]],
  [{ user: { login: 'a', id: 1 } }, 'user.login', { user: { login: 'a' } }],
  [{ labels: [{ name: 'bug', id: 1 }, 'plain'] }, 'labels.name', { labels: [{ name: 'bug' }, 'plain'] }],
  [
    { head: { ref: 'a', sha: 'b', repo: { id: 1, full_name: 'c/d' } } },
    'head.ref head.repo.full_name',
    { head: { ref: 'a', repo: { full_name: 'c/d' } } },
  ],
  [{ user: null }, 'user.login', {}],
  ['a text', 'id', 'a text'],
])('of %j the members %j are %j', (value, names, picked) => {
  expect(pickFields(value, names)).toEqual(picked);
});

test('a member that objects have anyway is not taken for one of an answer', () => {
  expect(pickFields({ id: 1 }, 'constructor toString.name')).toEqual({});
});
