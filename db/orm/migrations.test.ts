import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { withClient } from '../../test/support/database-owner.ts';
import { sharedPostgres, withDatabase } from '../../test/support/shared-services.ts';
import { migrations } from '../migrations/list.ts';
import { BASELINE } from '../migrations/pending-migrations.ts';
import { FormerSchema, migrate, sqlMigration } from './migrations.ts';

const SCHEMA = fileURLToPath(new URL('../schema', import.meta.url));

/** The address of an empty database, for its owner. */
let url: string;
let name: string;
beforeEach(async () => {
  const { ownerUrl } = await sharedPostgres();
  name = `test_${randomUUID().replaceAll('-', '')}`;
  url = withDatabase(ownerUrl, name);
  await withClient(ownerUrl, (client) => client.query(`create database ${name}`));
});
afterEach(async () => {
  await withClient((await sharedPostgres()).ownerUrl, (client) => client.query(`drop database ${name}`));
});

async function select<T extends object>(statement: string): Promise<T[]> {
  return withClient(url, async (client) => (await client.query<T>(statement)).rows);
}

const executed = async () =>
  (await select<{ name: string }>('select name from schema_migrations')).map((row) => row.name);

describe('migrate', () => {
  test('brings an empty database up to date once when two processes start together', async () => {
    const done = await Promise.all([migrate(url), migrate(url)]);
    expect(done.flat()).toEqual([BASELINE, ...migrations]);
    expect(await executed()).toEqual([BASELINE, ...migrations]);
  });

  test.each([
    ['before `db/schema`', 'migration-20261121-first-light'],
    ['with another `db/schema`', 'baseline-0123456789ab'],
  ])('changes nothing in a database of a version %s, and says where to read on', async (_which, former) => {
    await withClient(url, async (client) => {
      await client.query(`create table schema_migrations (
        id serial primary key, name varchar(255) not null, executed_at timestamptz default current_timestamp
      )`);
      await client.query('insert into schema_migrations (name) values ($1)', [former]);
    });
    const command = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'db/orm/migrate.ts'], {
      env: { DATABASE_URL: url },
    });
    let output = '';
    for (const stream of [command.stdout, command.stderr]) stream.on('data', (data) => (output += String(data)));
    expect(await once(command, 'close')).toEqual([1, null]);
    expect(output).toBe(`${new FormerSchema().message}\n`);
    expect(await executed()).toEqual([former]);
    expect(
      await select("select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'"),
    ).toEqual([{ relname: 'schema_migrations' }]);
  });
});

describe('a migration', () => {
  test('changes the rows of all organizations, and binds a table to them by a procedure that it leaves nothing of', async () => {
    await migrate(url);
    const folder = mkdtempSync(join(tmpdir(), 'everturn-migration-'));
    const file = join(folder, 'trials.sql');
    writeFileSync(
      file,
      `insert into orgs (id, name) values (gen_random_uuid(), 'One'), (gen_random_uuid(), 'Two');
      create table trials (id uuid primary key, org_id uuid not null references orgs (id) on delete cascade);
      call add_tenant_policy('trials');
      insert into trials (id, org_id) select gen_random_uuid(), id from orgs;`,
    );
    const orm = await MikroORM.init({
      clientUrl: url,
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      migrations: {
        tableName: 'schema_migrations',
        migrationsList: [sqlMigration('trials', [pathToFileURL(file)])],
        snapshot: false,
        silent: true,
      },
    });
    await orm.migrator.up();
    await orm.close();
    rmSync(folder, { recursive: true });

    const selectAll = 'select from trials';
    const counts = await withClient(url, async (client) => {
      const none = await client.query(selectAll);
      await client.query("set app.scope = 'system'");
      return [none.rowCount, (await client.query(selectAll)).rowCount];
    });
    expect(counts).toEqual([0, 2]);
    expect(
      await select("select proname from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'p'"),
    ).toEqual([]);
  });

  test('is a listed file with the name of a day that has come', () => {
    const files = globSync('*.sql', { cwd: join(SCHEMA, '../migrations') });
    expect(migrations.map((each) => `${each}.sql`).toSorted()).toEqual(files.toSorted());
    const today = new Date().toISOString().slice(0, 10);
    for (const each of migrations) {
      const day = each.slice(0, 10);
      expect([each, new Date(day).toISOString().slice(0, 10), day <= today]).toEqual([each, day, true]);
    }
  });
});

test('what the baseline does changes on purpose alone, and once it is released not at all: a change is a migration', () => {
  const text = globSync('*.sql', { cwd: SCHEMA })
    .toSorted()
    .map((file) => readFileSync(join(SCHEMA, file), 'utf8'))
    .join('\n');
  const statements = text.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ');
  expect(BASELINE).toBe(`baseline-${createHash('sha256').update(statements).digest('hex').slice(0, 12)}`);
});
