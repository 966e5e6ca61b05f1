import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';

const root = join(import.meta.dirname, '..', '..');

/** Names of settings and their defaults; undefined where a value must be given. */
type Settings = Record<string, string | undefined>;

/** Returns what docker-compose.yml takes from its environment. */
async function settingsOfCompose(): Promise<Settings> {
  const text = await readFile(join(root, 'docker-compose.yml'), 'utf8');
  const uses = text.matchAll(/\$\{(?<name>[A-Z][A-Z_]*)(?::-(?<value>[^}]*)|:?\?[^}]*)\}/g);
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

const service = z.object({ env_file: z.unknown(), environment: z.record(z.string(), z.string()) });
const composeFile = z.object({ services: z.object({ api: service, worker: service }) });

describe.each(['api', 'worker'] as const)('the service %s of docker-compose.yml', (name) => {
  const read = async () => {
    const text = await readFile(join(root, 'docker-compose.yml'), 'utf8');
    return composeFile.parse(parse(text, { merge: true })).services[name];
  };

  test('has all of .env but the passwords that it does not use', async () => {
    const { env_file: file, environment } = await read();
    expect(file).toEqual([{ path: '.env', required: false }]);
    const used = Object.values(environment).join('\n');
    const required = Object.entries(await settingsOfCompose()).filter(([, value]) => value === undefined);
    const unused = required.map(([password]) => password).filter((password) => !used.includes(`\${${password}`));
    expect(unused).toContain('POSTGRES_PASSWORD');
    // The address of the owner, which .env may name for `npm start`.
    unused.push('MIGRATION_DATABASE_URL');
    expect(environment).toMatchObject(Object.fromEntries(unused.map((password) => [password, ''])));
  });
});

const overridden = z.object({ environment: z.record(z.string(), z.string()), secrets: z.array(z.string()) });
const overrideFile = z.object({
  services: z.record(z.string(), overridden),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

test('the override in docs/settings.md gives each service that has SECRET_KEY the file instead', async () => {
  const page = await readFile(join(root, 'docs/settings.md'), 'utf8');
  const override = overrideFile.parse(parse(/^```yaml\n([^]*?)^```$/m.exec(page)?.[1] ?? ''));
  const base = z.object({
    services: z.record(z.string(), z.object({ environment: z.record(z.string(), z.string()) }).partial()),
  });
  const { services } = base.parse(parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }));
  const having = Object.entries(services).filter(([, { environment = {} }]) => 'SECRET_KEY' in environment);
  expect(Object.keys(override.services).toSorted()).toEqual(having.map(([name]) => name).toSorted());
  for (const { environment, secrets } of Object.values(override.services)) {
    const [secret = ''] = secrets;
    expect(environment).toEqual({ SECRET_KEY_FILE: `/run/secrets/${secret}` });
    expect(Object.keys(override.secrets)).toEqual([secret]);
  }
});

/** Returns the commands at the head of docker-compose.yml: the indented lines of its first comment. */
async function commandsOfHead(): Promise<string> {
  const text = await readFile(join(root, 'docker-compose.yml'), 'utf8');
  const head = text.slice(0, text.search(/^[^#]/m));
  return [...head.matchAll(/^# {5}(?<line>.*)$/gm)].map(({ groups }) => groups?.['line']).join('\n');
}

describe('the commands at the head of docker-compose.yml', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'everturn-compose-'));
    const docker = join(folder, 'docker');
    await writeFile(docker, '#!/bin/sh\necho "$*" >> calls\n[ "$2" != logs ] || echo setup_token\n');
    await chmod(docker, 0o755);
  });
  afterEach(async () => rm(folder, { recursive: true }));

  const runCommands = async () =>
    promisify(execFile)('sh', ['-euc', await commandsOfHead()], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env['PATH']}` },
    });
  const read = async (name: string) => readFile(join(folder, name), 'utf8');
  const settingsIn = (text: string): Settings =>
    Object.fromEntries(
      [...text.matchAll(/^(?<name>[A-Z_]+)=(?<value>.*)$/gm)].map(({ groups }) => [
        groups?.['name'],
        groups?.['value'],
      ]),
    );

  test.each([
    ['is missing', undefined],
    ['lacks some, and ends without a line break', 'SECRET_KEY=a-key-that-was-there-before\nAPI_PORTS=3001'],
    ['is a copy of .env.example', '.env.example'],
  ])('write the settings that have no default where .env %s, and keep what it has', async (_title, given) => {
    const before = given === '.env.example' ? await readFile(join(root, given), 'utf8') : (given ?? '');
    if (given !== undefined) await writeFile(join(folder, '.env'), before);
    await runCommands();

    const after = await read('.env');
    expect(after.slice(0, before.length)).toBe(before);
    const set = settingsIn(after);
    expect(set).toMatchObject(settingsIn(before.replaceAll(/^.*=$/gm, '')));
    const required = Object.entries(await settingsOfCompose()).flatMap(([name, value]) =>
      value === undefined ? [name] : [],
    );
    const values = required.map((name) => set[name] ?? '');
    expect(values).toHaveLength(4);
    for (const value of values) expect(value).toMatch(/^[\w-]{24,}$/);
    expect(new Set(values).size).toBe(values.length);

    await runCommands();
    expect(await read('.env')).toBe(after);
  });

  test('start everything, keep .env from other users, and show how the first account is made', async () => {
    const { stdout } = await runCommands();
    expect((await read('calls')).split('\n')).toEqual(['compose up --detach --build --wait', 'compose logs api', '']);
    expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
    expect(stdout).toBe('setup_token\n');
  });
});
