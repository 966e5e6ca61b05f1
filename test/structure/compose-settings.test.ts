import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');

/** Names of settings and their defaults; undefined where a value must be given. */
type Settings = Record<string, string | undefined>;

/** Returns what docker-compose.yml takes from its environment. */
async function settingsOfCompose(): Promise<Settings> {
  const text = await readFile(join(root, 'docker-compose.yml'), 'utf8');
  const uses = text.matchAll(/\$\{(?<name>[A-Z][A-Z_]*)(?::-(?<value>[^}]*)|:\?[^}]*)\}/g);
  return Object.fromEntries([...uses].map(({ groups }) => [groups?.['name'], groups?.['value']]));
}

/** Returns what .env.example names: a commented line shows the default, another one asks for a value. */
async function settingsOfExample(): Promise<Settings> {
  const text = await readFile(join(root, '.env.example'), 'utf8');
  const lines = text.matchAll(/^(?<comment># )?(?<name>[A-Z][A-Z_]*)=(?<value>.*)$/gm);
  return Object.fromEntries(
    [...lines].map(({ groups }) => [groups?.['name'], groups?.['comment'] === undefined ? undefined : groups['value']]),
  );
}

test('.env.example names each setting of docker-compose.yml with its default, and no other', async () => {
  const expected = await settingsOfCompose();

  expect(Object.keys(expected).length).toBeGreaterThan(10);
  expect(await settingsOfExample()).toStrictEqual(expected);
});
