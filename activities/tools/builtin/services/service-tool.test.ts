import { expect, test } from '@jest/globals';
import { pathOf } from './service-tool.ts';

test.each([
  ['a b', '/repos/a%20b/keys'],
  ['a/b?x=1#y', '/repos/a%2Fb%3Fx%3D1%23y/keys'],
  ['%2e%2e', '/repos/%252e%252e/keys'],
  ['a\r\nHost: b', '/repos/a%0D%0AHost%3A%20b/keys'],
  ['\ud800', '/repos/%EF%BF%BD/keys'],
  [7, '/repos/7/keys'],
])('%j is one part of a path', (value, path) => {
  expect(pathOf`/repos/${value}/keys`).toBe(path);
});

test.each(['', '.', '..', 'a/../../user', '../x', 'a\\..', 'x/.'])('"%s" is none', (value) => {
  expect(() => pathOf`/repos/${value}/keys`).toThrow(/cannot be/);
});
