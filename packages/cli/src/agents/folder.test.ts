import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { noRecords, writeRecords } from './folder.ts';

let around: string;
beforeEach(() => {
  around = mkdtempSync(join(tmpdir(), 'everturn-folder-'));
  mkdirSync(join(around, 'exported/skills/notes'), { recursive: true });
  writeFileSync(join(around, 'exported/skills/notes/SKILL.md'), 'Be brief.');
});
afterEach(() => rmSync(around, { recursive: true }));

test.each([
  ['notes', '../../../evil.sh'],
  ['notes', 'a/../../../../evil.sh'],
  ['notes', '/evil.sh'],
  ['notes', '..\\..\\evil.sh'],
  ['..', 'SKILL.md'],
  ['.', 'SKILL.md'],
  ['../..', 'evil.sh'],
])('names of a server that lead out of the directory change nothing (%s, %s)', (key, path) => {
  const before = readdirSync(around, { recursive: true });
  const records = noRecords();
  records.skills.set(key, new Map([[path, 'evil']]));
  for (const isWhole of [true, false])
    expect(() => writeRecords(join(around, 'exported'), records, { isWhole })).toThrow('outside of');
  expect(readdirSync(around, { recursive: true })).toEqual(before);
});
