import { describe, expect, test } from '@jest/globals';
import { apiUrlOf, authorizationHeaders, authorizationPath, gitUrlOf, isWithin } from './address.ts';
import type { Authorization } from './integration-kind.ts';

describe('the address of an API', () => {
  test.each([
    ['github', null, 'https://api.github.com'],
    ['github', 'https://ghe.example.com/api/v3/', 'https://ghe.example.com/api/v3'],
    ['gitlab', null, 'https://gitlab.com/api/v4'],
    ['gitlab', 'https://git.example.com/lab', 'https://git.example.com/lab/api/v4'],
    ['gitlab', 'https://git.example.com/api/v4/', 'https://git.example.com/api/v4'],
    ['gitea', 'https://git.example.com/', 'https://git.example.com/api/v1'],
    ['http', 'https://tracker.example.com/x//', 'https://tracker.example.com/x'],
  ] as const)('of %s at %s is %s', (kind, baseUrl, expected) => {
    expect(apiUrlOf({ kind, baseUrl })).toBe(expected);
  });
});

describe('the repositories', () => {
  test.each([
    ['github', null, 'https://github.com'],
    ['github', 'https://ghe.example.com/api/v3/', 'https://ghe.example.com'],
    ['github', 'https://api.team.ghe.com', 'https://team.ghe.com'],
    ['gitlab', null, 'https://gitlab.com'],
    ['gitlab', 'https://git.example.com/lab', 'https://git.example.com/lab'],
    ['gitea', 'https://git.example.com/', 'https://git.example.com'],
    ['git', 'https://git.example.com/team/', 'https://git.example.com/team'],
    ['http', 'https://git.example.com', undefined],
  ] as const)('of %s at %s are below %s', (kind, baseUrl, expected) => {
    expect(gitUrlOf({ kind, apiUrl: apiUrlOf({ kind, baseUrl }) })).toBe(expected);
  });
});

describe('a request', () => {
  const BASE = 'https://api.example.com/team';

  test.each([
    'https://api.example.com/team',
    'https://api.example.com/team?a=/../',
    'https://api.example.com/team/x',
    'https://api.example.com:443/team/a%2Fb/c',
    'https://API.example.com/team/./x',
    'https://api.example.com/team/x/../y',
  ])('to %s goes to the API', (url) => {
    expect(isWithin(BASE, url)).toBe(true);
    expect(isWithin('https://api.example.com', url)).toBe(true);
  });

  test.each([
    'http://api.example.com/team/x',
    'https://api.example.com:8443/team/x',
    'https://api.example.com.evil.example/team/x',
    'https://evil.example/team/x',
    'https://api.example.com@evil.example/team/x',
    'https://evil.example\\@api.example.com/team/x',
    'https://user:pass@api.example.com/team/x',
    'https://api.example.com/teams',
    'https://api.example.com/other',
    'https://api.example.com/team/../other',
    'https://api.example.com/team/%2e%2e/other',
    'https://api.example.com/team/%2e%2e%2fother',
    'https://api.example.com/team/..%2Fother',
    'https://api.example.com/team/..%5Cother',
    'https://api.example.com/team/%zz',
    'https://api.example.com//team/x',
    'not an address',
  ])('to %s goes elsewhere', (url) => {
    expect(isWithin(BASE, url)).toBe(false);
  });
});

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
