import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { lastBuilt, STAMP_FILE } from './console-stamp.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-stamp-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function build(name: string, seconds: number): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, STAMP_FILE), 'a stamp\n');
  utimesSync(join(path, STAMP_FILE), seconds, seconds);
  return path;
}

test('the last build is that of either folder', () => {
  const [none, older, newer] = [join(folder, 'none'), build('older', 1_000), build('newer', 2_000)];
  expect(lastBuilt([none])).toBe(undefined);
  expect(lastBuilt([none, older])).toBe(older);
  expect(lastBuilt([older, newer])).toBe(newer);
  expect(lastBuilt([newer, none, older])).toBe(newer);
});
