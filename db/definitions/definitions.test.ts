import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Definition,
  type DefinitionContent,
  type DefinitionKind,
  ShippedDefinitions,
} from '../../domain/definitions/definition.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import {
  assignDefinition,
  digestOf,
  insertDefinition,
  lockDefinition,
  removeDefinition,
  replaceContent,
} from './records.ts';
import { Definitions } from './definitions.ts';
import { readDefinitionContent } from './read-definitions.ts';
import { writeFile } from './files.ts';

const SHIPPED: Definition = {
  id: randomUUID(),
  kind: 'skill',
  key: 'shipped',
  name: 'Shipped',
  description: '',
  category: 'custom',
  origin: 'builtin',
  version: '1.0.0',
  slug: null,
  files: new Map([['SKILL.md', 'shipped']]),
  paths: ['SKILL.md'],
  persona: null,
};
const shipped = new ShippedDefinitions([SHIPPED]);
const limits = parseOrgLimits('');

const database = serveTestDatabase();
let orgId: string;
beforeEach(async () => {
  orgId = randomUUID();
  await database.system.query("insert into orgs (id, name) values ($1, 'Acme')", [orgId]);
});

const contentOf = (key: string, files: Readonly<Record<string, string>> = { 'SKILL.md': key }): DefinitionContent => ({
  key,
  name: key,
  description: '',
  category: 'custom',
  version: '1.0.0',
  files: new Map(Object.entries(files)),
  persona: null,
});

const add = async (content: DefinitionContent, kind: DefinitionKind = 'skill') =>
  withOrgTransaction(database, orgId, async (em) =>
    insertDefinition(em, { orgId, ownerId: null, kind, limits }, content),
  );

/** Counts the statements that a process sends while it reads definitions. */
function countingProcess() {
  const statements: (string | undefined)[] = [];
  const tenant: Database['tenant'] = Object.create(database.tenant) as Database['tenant'];
  tenant.query = async (org, statement) => {
    statements.push(statement.name);
    return database.tenant.query(org, statement);
  };
  return { definitions: new Definitions({ tenant, payers: database.payers }, shipped), statements };
}

const versionOf = async () => new Definitions(database, shipped).versionOf(orgId);

describe('the definitions in effect in an organization', () => {
  test('are those that ship, without a statement, while it has none of its own', async () => {
    const { definitions, statements } = countingProcess();
    expect(await definitions.read(orgId, 'skill', ['shipped', 'none'], 0)).toEqual([SHIPPED]);
    expect(statements).toEqual([]);
  });

  test('are its own where they have the key of one that ships, until those are deleted', async () => {
    const { id } = await add(contentOf('shipped'));
    const { definitions } = countingProcess();
    expect(await definitions.read(orgId, 'skill', ['shipped'])).toMatchObject([{ id, origin: 'custom' }]);
    expect(await definitions.heads(orgId, 'skill')).toMatchObject([{ id }]);
    await withOrgTransaction(database, orgId, async (em) => removeDefinition(em, { kind: 'skill', id }));
    expect(await definitions.read(orgId, 'skill', ['shipped'])).toEqual([SHIPPED]);
  });

  test('are not those of another organization', async () => {
    await add(contentOf('own'));
    const { definitions } = countingProcess();
    expect(await definitions.read(randomUUID(), 'skill', ['own'])).toEqual([]);
  });

  test('are read once for a version, and the same object comes back', async () => {
    await add(contentOf('own'));
    const { definitions, statements } = countingProcess();
    const seen = await versionOf();
    const [first] = await definitions.read(orgId, 'skill', ['own'], seen);
    expect(statements).toEqual(['own-definitions', 'definitions-for-turns']);
    const [second] = await definitions.read(orgId, 'skill', ['own'], seen);
    expect(second).toBe(first);
    expect(statements).toHaveLength(2);
  });

  test('come in the order of the keys, and those that are missing are left out', async () => {
    for (const key of ['b', 'a']) await add(contentOf(key));
    const { definitions } = countingProcess();
    const read = await definitions.read(orgId, 'skill', ['shipped', 'b', 'none', 'a']);
    expect(read.map(({ key }) => key)).toEqual(['shipped', 'b', 'a']);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    [
      'a file is written',
      async (id) =>
        withOrgTransaction(database, orgId, async (em) => {
          const record = await lockDefinition(em, { kind: 'skill', id });
          await writeFile(em, record, { path: 'SKILL.md', content: 'changed' }, limits);
        }),
    ],
    [
      'its content is replaced',
      async (id) =>
        withOrgTransaction(database, orgId, async (em) => {
          const record = await lockDefinition(em, { kind: 'skill', id });
          await replaceContent(em, record, contentOf('own', { 'SKILL.md': 'changed' }), limits);
        }),
    ],
    [
      'it is deleted and made again',
      async (id) => {
        await withOrgTransaction(database, orgId, async (em) => removeDefinition(em, { kind: 'skill', id }));
        await add(contentOf('own', { 'SKILL.md': 'changed' }));
      },
    ],
  ])('are new in every process when %s', async (_title, change) => {
    const { id } = await add(contentOf('own'));
    await add(contentOf('beside'));
    const processes = [countingProcess(), countingProcess()];
    const before = await versionOf();
    const read = async (seen: number) =>
      Promise.all(processes.map(async ({ definitions }) => definitions.read(orgId, 'skill', ['own', 'beside'], seen)));
    const [[, beside] = []] = await read(before);
    await change(id);
    const after = await versionOf();
    expect(after).toBeGreaterThan(before);
    for (const [own, other] of await read(after)) {
      expect(own?.files.get('SKILL.md')).toBe('changed');
      expect(other?.key).toBe('beside');
    }
    // What has not changed is not read again.
    const [[, again] = []] = await read(after);
    expect(again).toBe(beside);
  });

  test('show a change of the record', async () => {
    const { id } = await add(contentOf('own'));
    const { definitions } = countingProcess();
    await definitions.read(orgId, 'skill', ['own']);
    await withOrgTransaction(database, orgId, async (em) => {
      await assignDefinition(em, await lockDefinition(em, { kind: 'skill', id }), { description: 'new' });
    });
    expect(await definitions.read(orgId, 'skill', ['own'])).toMatchObject([{ description: 'new' }]);
  });

  test('contain of a skill its SKILL.md; the other files are read one by one', async () => {
    await add(contentOf('own', { 'SKILL.md': 's', 'a.md': 'a', 'b/c.md': 'c' }));
    const { definitions } = countingProcess();
    const [own] = await definitions.read(orgId, 'skill', ['own']);
    if (own === undefined) throw new Error('there is no such skill');
    expect([[...own.files.keys()], own.paths]).toEqual([['SKILL.md'], ['SKILL.md', 'a.md', 'b/c.md']]);
    expect(await definitions.readFile(orgId, own, 'b/c.md')).toBe('c');
    expect(await definitions.readFile(orgId, own, 'none')).toBeUndefined();
  });

  test('contain no SKILL.md that is too long for a prompt, which is read by itself', async () => {
    const text = 'x'.repeat(40_001);
    await add(contentOf('own', { 'SKILL.md': text }));
    const { definitions } = countingProcess();
    const [own] = await definitions.read(orgId, 'skill', ['own']);
    if (own === undefined) throw new Error('there is no such skill');
    expect([[...own.files.keys()], own.paths]).toEqual([[], ['SKILL.md']]);
    expect(await definitions.readFile(orgId, own, 'SKILL.md')).toBe(text);
  });

  test('contain of a tool only the files that say how it is run', async () => {
    const files = { 'tool.json': '{}', 'http.json': '{}', 'main.js': 'x', 'notes.md': 'x', 'lib/main.js': 'x' };
    await add(contentOf('own', files), 'tool');
    const { definitions } = countingProcess();
    const [own] = await definitions.read(orgId, 'tool', ['own']);
    expect([...(own?.files.keys() ?? [])]).toEqual(['http.json', 'main.js', 'tool.json']);
  });

  test('come without their files beyond what one read returns, each time at the same position', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `tool_${index}`);
    for (const key of keys) await add(contentOf(key, { 'tool.json': '{}', 'main.js': 'x'.repeat(249_998) }), 'tool');
    const { definitions } = countingProcess();
    for (const order of [keys, keys, keys.toReversed()]) {
      const read = await definitions.read(orgId, 'tool', order);
      expect(read.map(({ key }) => key)).toEqual(order);
      expect(read.map(({ isLeftOut }) => isLeftOut ?? false)).toEqual(order.map((_, index) => index >= 8));
      expect(read.map(({ files }) => files.size)).toEqual(order.map((_, index) => (index >= 8 ? 0 : 2)));
    }
  });

  test('are read once by those who want them at the same time', async () => {
    await add(contentOf('own'));
    const { definitions, statements } = countingProcess();
    const seen = await versionOf();
    const read = await Promise.all([1, 2, 3].map(async () => definitions.read(orgId, 'skill', ['own'], seen)));
    expect(new Set(read.flat()).size).toBe(1);
    expect(statements.filter((name) => name === 'definitions-for-turns')).toHaveLength(1);
  });
});

describe('a definition', () => {
  test('is read with all its files, and has the digest of its content', async () => {
    const content = contentOf('own', { 'SKILL.md': 's', 'b/c.md': 'c' });
    const { id } = await add(content);
    const read = await readDefinitionContent(database, { orgId, kind: 'skill', id });
    expect(read).toEqual(content);
    expect(digestOf(read)).toBe(digestOf(content));
    expect(digestOf({ ...content, files: new Map([['SKILL.md', 's']]) })).not.toBe(digestOf(content));
  });

  test('cannot be added twice under one key, also at once', async () => {
    const added = await Promise.allSettled([1, 2, 3].map(async () => add(contentOf('own'))));
    expect(added.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const [rejected] = added.filter((each) => each.status === 'rejected');
    expect(rejected?.reason).toMatchObject({ code: 'conflict', message: expect.stringContaining('"own" already') });
  });

  test.each([
    ['files', Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}`, ''])), '', '100 files'],
    ['bytes', Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`${at}`, 'x'.repeat(256 * 1024)])), 'x', '2 MB'],
  ])('takes no more %s than it may have', async (_title, files, content, words) => {
    const { id } = await add(contentOf('own', files));
    const written = withOrgTransaction(database, orgId, async (em) => {
      const record = await lockDefinition(em, { kind: 'skill', id });
      await writeFile(em, record, { path: 'more', content }, limits);
    });
    await expect(written).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(words) });
    expect((await readDefinitionContent(database, { orgId, kind: 'skill', id })).files.size).toBe(
      Object.keys(files).length,
    );
  });

  test('takes no file whose path differs in case only from that of another', async () => {
    const { id } = await add(contentOf('own'));
    const written = withOrgTransaction(database, orgId, async (em) => {
      const record = await lockDefinition(em, { kind: 'skill', id });
      await writeFile(em, record, { path: 'skill.MD', content: '' }, limits);
    });
    await expect(written).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is one too many beyond the limits of the organization', async () => {
    const few = parseOrgLimits('definitions=1,definition_bytes=1KB');
    const make = async (key: string, text: string) =>
      withOrgTransaction(database, orgId, async (em) =>
        insertDefinition(
          em,
          { orgId, ownerId: null, kind: 'skill', limits: few },
          contentOf(key, { 'SKILL.md': text }),
        ),
      );
    await expect(make('large', 'x'.repeat(2_000))).rejects.toMatchObject({ code: 'conflict' });
    await make('first', 'x');
    await expect(make('second', 'x')).rejects.toThrow('limit of 1 tools, skills and personas');
  });

  test('goes with its organization', async () => {
    await add(contentOf('own'));
    await database.system.query('update orgs set deleted_at = now() where id = $1', [orgId]);
    await database.system.query('delete from orgs where id = $1', [orgId]);
    for (const table of ['definitions', 'definition_files', 'definition_versions']) {
      const { rowCount } = await database.system.query(`select from ${table} where org_id = $1`, [orgId]);
      expect([table, rowCount]).toEqual([table, 0]);
    }
  });
});
