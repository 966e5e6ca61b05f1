import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';

import { addMigration } from './add-migration.ts';

const TODAY = new Date('2026-11-28T23:30:00Z');
const parent = mkdtempSync(join(tmpdir(), 'everturn-migrations-'));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(parent, 'folder-'));
  cpSync(fileURLToPath(new URL('../../db/migrations/list.ts', import.meta.url)), join(folder, 'list.ts'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function listedIn(path: string): Promise<readonly string[]> {
  const { migrations } = (await import(join(path, 'list.ts'))) as { migrations: readonly string[] };
  return migrations;
}

describe('addMigration', () => {
  test('adds files named by the day, and lists them last, in the order in which they were added', async () => {
    const before = (await import('../../db/migrations/list.ts')).migrations;
    const paths = ['labels', 'a-name-of-several-words', 'second'].map((name) => addMigration(folder, name, TODAY));
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(
      paths.map(() => expect.stringMatching(/^-- .*add_tenant_policy/s)),
    );
    const names = ['2026-11-28-labels', '2026-11-28-a-name-of-several-words', '2026-11-28-second'];
    expect(paths).toEqual(names.map((name) => join(folder, `${name}.sql`)));
    expect(await listedIn(folder)).toEqual([...before, ...names]);
  });

  test('adds nothing twice', () => {
    addMigration(folder, 'labels', TODAY);
    expect(() => addMigration(folder, 'labels', TODAY)).toThrow('There is a migration 2026-11-28-labels already.');
  });

  test.each(['', 'Labels', 'labels_of_agents', '2026-11-28-labels', '../labels', 'labels-'])(
    'refuses the name %j',
    (name) => {
      expect(() => addMigration(folder, name, TODAY)).toThrow('A migration has a name like labels-of-agents');
    },
  );
});
