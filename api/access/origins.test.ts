import { expect, test } from '@jest/globals';
import { requireOwnPage } from './origins.ts';

const PUBLIC_URL = 'https://everturn.example.com';

function isTaken(headers: Record<string, string>): boolean {
  try {
    requireOwnPage({ headers }, PUBLIC_URL);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['the public address by its scheme', 'everturn.example.com', 'https://everturn.example.com', true],
  ['the public address by another scheme', 'everturn.example.com', 'http://everturn.example.com', false],
  ['another address of this server, by either scheme', '10.0.0.5:3000', 'http://10.0.0.5:3000', true],
  ['another host', 'everturn.example.com', 'https://elsewhere.example.com', false],
  ['another port', 'everturn.example.com', 'https://everturn.example.com:8443', false],
])('an origin of %s', (_what, host, origin, taken) => {
  expect(isTaken({ host, origin })).toBe(taken);
});
