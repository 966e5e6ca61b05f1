import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { noRecords, readRecords, writeRecords } from './folder.ts';

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

test('files are read by their paths, without hidden ones', () => {
  mkdirSync(join(around, 'exported/skills/notes/scripts/deep'), { recursive: true });
  writeFileSync(join(around, 'exported/skills/notes/scripts/deep/run.js'), 'run()');
  writeFileSync(join(around, 'exported/skills/notes/.DS_Store'), 'x');
  const { skills } = readRecords(join(around, 'exported'));
  expect(skills).toEqual(
    new Map([
      [
        'notes',
        new Map([
          ['SKILL.md', 'Be brief.'],
          ['scripts/deep/run.js', 'run()'],
        ]),
      ],
    ]),
  );
});

test.each(['skills', 'skills/linked', 'skills/notes/linked', 'skills/notes/linked.md'])(
  'a symbolic link at %s is not followed: it may lead out of the directory',
  (path) => {
    const [directory, outside] = [join(around, 'exported'), join(around, 'outside')];
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret'), 'a key');
    if (path === 'skills') renameSync(join(directory, 'skills'), join(around, 'former'));
    symlinkSync(path.endsWith('.md') ? join(outside, 'secret') : outside, join(directory, path));
    expect(() => readRecords(directory)).toThrow(`${join(directory, path)} is a symbolic link`);
  },
);

test('a symbolic link that replaces a folder is not written through', () => {
  const [directory, outside] = [join(around, 'linked'), join(around, 'exported/skills')];
  mkdirSync(directory);
  symlinkSync(outside, join(directory, 'skills'));
  const before = readdirSync(outside, { recursive: true });
  const records = noRecords();
  records.skills.set('added', new Map([['SKILL.md', 'Be quick.']]));
  for (const isWhole of [true, false])
    expect(() => writeRecords(directory, records, { isWhole })).toThrow('is a symbolic link');
  expect(readdirSync(outside, { recursive: true })).toEqual(before);
});
