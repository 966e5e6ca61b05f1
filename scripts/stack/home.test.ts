import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { addSecretKey, keptSecretKey, prepareHome } from './home.ts';

test('a new key comes before the kept ones, in a file that only its owner reads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'everturn-home-'));
  const home = prepareHome(join(folder, 'data'));
  const first = keptSecretKey(home);
  const both = addSecretKey(home);
  const [added = '', ...others] = both.split(',');
  expect(others).toEqual([first]);
  expect(added).toMatch(/^[\w-]{43}$/);
  expect(added).not.toBe(first);
  expect(keptSecretKey(home)).toBe(both);
  expect(statSync(join(home.secrets, 'secret-key')).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true });
});
