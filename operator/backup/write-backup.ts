import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Database } from '../../db/core/database.ts';
import { keyIdOf } from '../../db/core/secret-box.ts';
import { isOtherDatabase } from '../../db/core/unavailable.ts';
import { migrations } from '../../db/migrations/list.ts';
import { BASELINE } from '../../db/migrations/pending-migrations.ts';
import { countByKey } from '../../db/secrets.ts';
import { FileGone } from '../../files/file-store.ts';
import type { FileStores } from '../../files/file-stores.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { Refusal } from '../program.ts';
import { takeAdvisoryLock } from './advisory-lock.ts';
import { CHECKSUMS, MANIFEST, type Manifest } from './manifest.ts';

/** What a backup is made of. */
export interface BackupSource {
  readonly database: Database;
  readonly files: FileStores;
  /** The keys of `SECRET_KEY`. */
  readonly keys: readonly [string, ...string[]];
}

/** The tables of a backup: without the list of migrations, which a restore runs, and without unlogged tables. */
const TABLES = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
    and c.relname <> 'schema_migrations' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by c.relname order by c.relname`;

const SEQUENCES = `
  select relname as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'S' and relname not like 'schema_migrations%' order by 1`;

/** Files whose bytes are outside of PostgreSQL. */
const OUTSIDE = `
  select id, org_id as "orgId", bytes::int8 as bytes, store, false as "isOfWorkspace" from chat_files
    where is_stored and store <> 'postgres' and bytes > 0
  union all
  select id, org_id, bytes, store, true from workspace_contents
    where digest is not null and store not in ('postgres', 'row') and bytes > 0`;

interface OutsideFile {
  readonly id: string;
  readonly orgId: string;
  readonly bytes: string;
  readonly store: string;
  readonly isOfWorkspace: boolean;
}

/**
 * Writes a backup into a new folder while the service runs: a snapshot of all tables, and the files that are stored
 * outside of PostgreSQL. The folder gets its name once it is complete.
 */
export async function writeBackup(
  source: BackupSource,
  target: string,
  say: (line: string) => void,
): Promise<Manifest> {
  const folder = resolve(target);
  const part = `${folder}.part`;
  const client = await source.database.system.connect();
  try {
    await takeAdvisoryLock(client, part, `Another backup is being written to ${part}.`);
    if (existsSync(folder)) throw new Refusal(`${folder} already exists: choose a new folder.`);
    rmSync(part, { recursive: true, force: true });
    mkdirSync(join(part, 'tables'), { recursive: true, mode: 0o700 });
    try {
      const manifest = await new Backup(source, part, say).write(client);
      renameSync(part, folder);
      return manifest;
    } catch (error) {
      rmSync(part, { recursive: true, force: true });
      throw error;
    }
  } finally {
    // The pool must not reuse the connection with its settings and its lock.
    client.release(true);
  }
}

class Backup {
  readonly #source: BackupSource;
  readonly #folder: string;
  readonly #say: (line: string) => void;
  /** In the form of `sha256sum`. */
  #checksums = '';

  constructor(source: BackupSource, folder: string, say: (line: string) => void) {
    this.#source = source;
    this.#folder = folder;
    this.#say = say;
  }

  async write(client: pg.PoolClient): Promise<Manifest> {
    const { keys } = this.#source;
    await client.query('begin isolation level repeatable read read only');
    // The defaults of the connection suit short queries by an index.
    await client.query('set local statement_timeout = 0; set local enable_seqscan = on');
    const done = await executedMigrations(client);
    const createdAt = new Date().toISOString();
    const tables = await this.#writeTables(client);
    const sequences = await sequencesOf(client);
    const { rows: outside } = await client.query<OutsideFile>(OUTSIDE);
    // In the same snapshot as the rows, which may be encrypted anew meanwhile.
    const used = (await countByKey(client)).map(({ keyId }) => keyId);
    await client.query('commit');
    await this.#writeFiles(outside);
    writeFileSync(join(this.#folder, CHECKSUMS), this.#checksums, { mode: 0o600, flush: true });
    const manifest: Manifest = {
      format: 1,
      version: packageJson.version,
      created_at: createdAt,
      migrations: done,
      // No key is required for secrets that cannot be decrypted here.
      key_ids: keys.map(keyIdOf).filter((id, at) => at === 0 || used.includes(id)),
      tables,
      sequences,
      checksums: createHash('sha256').update(this.#checksums).digest('hex'),
    };
    const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
    writeFileSync(join(this.#folder, MANIFEST), text, { mode: 0o600, flush: true });
    return manifest;
  }

  async #writeTables(client: pg.PoolClient): Promise<Manifest['tables']> {
    const { rows: tables } = await client.query<{ name: string; columns: string[] }>(TABLES);
    const written: Manifest['tables'] = [];
    for (const { name, columns } of tables) {
      const names = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
      const rows = client.query(copyTo(`copy (select ${names} from ${pg.escapeIdentifier(name)}) to stdout`));
      await this.#writeFile(`tables/${name}.copy.gz`, rows, [createGzip()]);
      written.push({ name, columns, rows: rows.rowCount });
      this.#say(`${written.length}/${tables.length} tables: ${name}, ${rows.rowCount} rows`);
    }
    return written;
  }

  async #writeFiles(outside: readonly OutsideFile[]): Promise<void> {
    const { files } = this.#source;
    for (const [at, { id, orgId, bytes, store, isOfWorkspace }] of outside.entries()) {
      const { ofWorkspaces } = files;
      const kept = isOfWorkspace ? ofWorkspaces.of({ store }) : files.of({ store });
      const path = `files/${orgId}/${id}`;
      mkdirSync(dirname(join(this.#folder, path)), { recursive: true, mode: 0o700 });
      try {
        const content = kept.read({ orgId, fileId: id }, { start: 0, end: Number(bytes) - 1 });
        await this.#writeFile(path, Readable.from(content), []);
      } catch (error) {
        // Deleted after the snapshot.
        if (!(error instanceof FileGone)) throw error;
        rmSync(join(this.#folder, path), { force: true });
      }
      if ((at + 1) % 100 === 0 || at + 1 === outside.length) this.#say(`${at + 1}/${outside.length} files`);
    }
  }

  async #writeFile(path: string, content: Readable, through: readonly Transform[]): Promise<void> {
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const file = createWriteStream(join(this.#folder, path), { mode: 0o600, flush: true });
    await pipeline([content, ...through, hashing, file]);
    this.#checksums += `${hash.digest('hex')}  ${path}\n`;
  }
}

// The manifest names this version as the one to restore with, so it must be the one that has migrated the database.
async function executedMigrations(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client
    .query<{ name: string }>('select name from schema_migrations order by id')
    .catch((error: unknown) => {
      if (!isOtherDatabase(error)) throw error;
      return { rows: [] };
    });
  const done = rows.map(({ name }) => name);
  const known = [BASELINE, ...migrations];
  if (done.length === known.length && done.every((name, at) => name === known[at])) return done;
  throw new Refusal(
    'The migrations of the database are not those of this version of Everturn: use the version that serves it.',
  );
}

async function sequencesOf(client: pg.PoolClient): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string }>(SEQUENCES);
  const read: Manifest['sequences'] = [];
  for (const { name } of rows) {
    const { rows: state } = await client.query<{ value: string; is_called: boolean }>(
      `select last_value::text as value, is_called from ${pg.escapeIdentifier(name)}`,
    );
    if (state[0] !== undefined) read.push({ name, ...state[0] });
  }
  return read;
}
