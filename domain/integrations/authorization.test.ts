import { expect, test } from '@jest/globals';
import { authorizationHeaders, authorizationPath } from './authorization.ts';
import type { Authorization } from './integration-kind.ts';

const bearer: Authorization = { in: 'header', field: 'token' };
const key: Authorization = { in: 'header', field: 'api_key', name: 'X-Api-Key', prefix: '' };
const open: Authorization = { in: 'nothing' };
const basic: Authorization = { in: 'basic', user: 'email', password: 'api_token' };

test.each([
  [[bearer], { token: 't-1' }, { Authorization: 'Bearer t-1' }],
  [[key], { api_key: 'k-1' }, { 'X-Api-Key': 'k-1' }],
  [[basic], { email: 'a@b.example', api_token: 'pass' }, { Authorization: 'Basic YUBiLmV4YW1wbGU6cGFzcw==' }],
  [[bearer, key], { api_key: 'k-1' }, { 'X-Api-Key': 'k-1' }],
  [[bearer, basic, open], { token: 't-1' }, { Authorization: 'Bearer t-1' }],
  [[bearer, basic, open], {}, {}],
  [[], {}, {}],
])('requests of a kind with the ways %j carry %j as %j', (authorization, secrets, headers) => {
  expect(authorizationHeaders({ authorization }, secrets)).toEqual(headers);
});

test.each([
  ['123456:ABC-def_1', '/bot123456:ABC-def_1'],
  ['a/../b?x=1#y', '/bota%2F..%2Fb%3Fx%3D1%23y'],
])('the token %s stands in the path as one part of it', (token, path) => {
  const kind = { authorization: [{ in: 'path', field: 'token', prefix: '/bot' }] } as const;
  expect(authorizationPath(kind, { token })).toBe(path);
  expect(authorizationHeaders(kind, { token })).toEqual({});
  expect(authorizationPath({ authorization: [bearer] }, { token })).toBe('');
});

test('credentials that are incomplete for each way make no request', () => {
  expect(authorizationHeaders({ authorization: [bearer, basic] }, { email: 'a@b.example' })).toBeUndefined();
});
