import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrations } from '../../db/migrations/list.ts';
import { BASELINE } from '../../db/migrations/pending-migrations.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { migrate } from '../../db/orm/migrations.ts';
import type { FilesLocation } from '../../domain/files.ts';
import { FileStores } from '../../files/file-stores.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { Refusal } from '../program.ts';
import { takeAdvisoryLock } from './advisory-lock.ts';
import { type Manifest, readManifest, requireKeys, requireWhole } from './manifest.ts';

/** Where a backup is restored to. */
export interface RestoreTarget {
  /** The address of an empty database, for the role that is to own its tables. */
  readonly databaseUrl: string;
  /** The keys of `SECRET_KEY`. */
  readonly keys: readonly [string, ...string[]];
  readonly filesAt: FilesLocation | undefined;
}

/** Restores a backup. Everything is checked first: a `Refusal` means that nothing was changed. */
export async function restoreBackup(
  { databaseUrl, keys, filesAt }: RestoreTarget,
  folder: string,
  say: (line: string) => void,
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  requireKnown(manifest);
  requireKeys(keys, manifest);
  say('Reading the backup ...');
  const files = (await requireWhole(folder, manifest)).filter((path) => path.startsWith('files/'));
  if (files.length > 0 && filesAt === undefined)
    throw new Refusal(
      'The backup has files that were stored outside of PostgreSQL: set FILES_URL to an empty location for them.',
    );
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c app.scope=system' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await takeAdvisoryLock(
      client,
      'restore',
      'Another backup is being restored into this database. Nothing was changed.',
    );
    await requireEmpty(client);
    try {
      await migrate(databaseUrl, manifest.migrations.at(-1));
      // Before the rows that refer to them: where there are rows, a restore that was killed has stored everything.
      await storeFiles({ databaseUrl, filesAt }, folder, files, say);
      await loadTables(client, folder, manifest, say);
      await migrate(databaseUrl);
    } catch (error) {
      // The database was empty before.
      await client.query('rollback');
      await client.query('drop schema public cascade; create schema public');
      const reason = error instanceof Error ? error.message : String(error);
      throw new Refusal(`The restore failed, and the database is empty again: ${reason}`, { cause: error });
    }
  } finally {
    await client.end();
  }
  return manifest;
}

function requireKnown({ version, migrations: done }: Manifest): void {
  const known = [BASELINE, ...migrations];
  if (isNewer(version, packageJson.version))
    throw new Refusal(
      `The backup is of version ${version}, and this is ${packageJson.version}: restore it with that version or a later one. Nothing was changed.`,
    );
  if (done.some((name) => !known.includes(name)))
    throw new Refusal(
      `The backup was made by an unreleased state of version ${version} with another schema: restore it with that one. Nothing was changed.`,
    );
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}

/**
 * Of the database, whether it may be restored into. A failed restore drops the schema `public`, so what extensions have
 * put there counts when it holds rows, as a table or a view. Indexes, arrays and the row types of tables are left out:
 * before PostgreSQL 17 those of an extension are not marked as its own.
 */
const STATE = `
  select current_database() as name, current_user as role,
    has_schema_privilege('public', 'create') as "canCreate",
    exists (
      select from (
        select 'pg_class'::regclass as kind, oid, relnamespace::regnamespace::text as schema from pg_class
        where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        union all select 'pg_proc'::regclass, oid, pronamespace::regnamespace::text from pg_proc
        union all select 'pg_type'::regclass, t.oid, typnamespace::regnamespace::text
        from pg_type t left join pg_class c on c.oid = t.typrelid
        where (t.typrelid = 0 or c.relkind = 'c') and not (t.typelem <> 0 and t.typlen = -1)
      ) o
      where schema <> 'information_schema' and schema not like 'pg\\_%'
        and (schema = 'public' and kind = 'pg_class'::regclass
          or not exists (select from pg_depend d where d.classid = kind and d.objid = o.oid and d.deptype = 'e'))
    ) as "isFilled"`;

interface State {
  readonly name: string;
  readonly role: string;
  readonly canCreate: boolean;
  readonly isFilled: boolean;
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<State>(STATE);
  const [{ name, role, canCreate, isFilled } = { name: '', role: '', canCreate: false, isFilled: true }] = rows;
  if (!canCreate)
    throw new Refusal(
      `The role ${role} may create no tables in the database ${name}: restore with the role that is to own them. Nothing was changed.`,
    );
  if (isFilled) throw new Refusal(`The database ${name} is not empty: restore into a new one. Nothing was changed.`);
}

interface Table {
  readonly name: string;
  readonly isForced: boolean;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const TABLES = `
  select relname as name, relforcerowsecurity as "isForced" from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'`;

const FOREIGN_KEYS = `
  select r.relname as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
  from pg_constraint c join pg_class r on r.oid = c.conrelid
  where c.contype = 'f' and c.connamespace = 'public'::regnamespace`;

// Tables are loaded in the order of their names, so foreign keys are dropped first and added at the end, which
// validates them. Triggers have run when the rows were first written. Forced policies would reject the owner's COPY.
async function loadTables(
  client: pg.Client,
  folder: string,
  manifest: Manifest,
  say: (line: string) => void,
): Promise<void> {
  const quote = (name: string) => pg.escapeIdentifier(name);
  await client.query('begin');
  const { rows: tables } = await client.query<Table>(TABLES);
  const { rows: keys } = await client.query<ForeignKey>(FOREIGN_KEYS);
  for (const { table, name } of keys) await client.query(`alter table ${quote(table)} drop constraint ${quote(name)}`);
  for (const { name } of tables)
    await client.query(`alter table ${quote(name)} disable trigger user, no force row level security`);
  // Migrations insert rows, which the backup has, too.
  await client.query(`truncate ${tables.map(({ name }) => quote(name)).join(', ')}`);
  for (const [at, { name, columns, rows }] of manifest.tables.entries()) {
    const into = copyFrom(`copy ${quote(name)} (${columns.map(quote).join(', ')}) from stdin`);
    await pipeline(createReadStream(join(folder, `tables/${name}.copy.gz`)), createGunzip(), client.query(into));
    say(`${at + 1}/${manifest.tables.length} tables: ${name}, ${rows} rows`);
  }
  for (const { name, value, is_called: isCalled } of manifest.sequences)
    await client.query('select setval($1::regclass, $2, $3)', [quote(name), value, isCalled]);
  for (const { table, name, definition } of keys)
    await client.query(`alter table ${quote(table)} add constraint ${quote(name)} ${definition}`);
  for (const { name, isForced } of tables)
    await client.query(`alter table ${quote(name)} enable trigger user${isForced ? ', force row level security' : ''}`);
  await client.query('commit');
  await client.query('analyze');
}

async function storeFiles(
  { databaseUrl, filesAt }: Pick<RestoreTarget, 'databaseUrl' | 'filesAt'>,
  folder: string,
  paths: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  if (paths.length === 0) return;
  const database = await connectDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const { current } = await FileStores.open(database, filesAt);
    for (const [at, path] of paths.entries()) {
      const [, orgId = '', fileId = ''] = path.split('/');
      await current.write({ orgId, fileId }, createReadStream(join(folder, path)));
      if ((at + 1) % 100 === 0 || at + 1 === paths.length) say(`${at + 1}/${paths.length} files`);
    }
  } finally {
    await database.close();
  }
}
