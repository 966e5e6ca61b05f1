import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import yazl from 'yazl';
import type { Database } from '../../db/core/database.ts';
import type { Transaction } from '../../db/core/transactions.ts';
import { readSmallContents, ROW_STORE } from '../../db/workspaces/contents.ts';
import { FileGone } from '../../files/file-store.ts';
import type { FileStores } from '../../files/file-stores.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { Refusal } from '../program.ts';
import { CREDENTIALS, DERIVED, rowsAbout, type SubjectRows } from './select-rows.ts';
import type { Subject } from './subject.ts';

/** What an export is read from. */
export interface ExportSource {
  readonly database: Database;
  readonly files: FileStores;
}

/** What is in an export, and what is not. */
export interface ExportReport {
  readonly kind: Subject['kind'];
  readonly id: string;
  readonly name: string;
  /** The version of the code that has written it. */
  readonly version: string;
  /** The moment whose rows it has. */
  readonly created_at: string;
  /** The rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  /** Files that were deleted while it was written. */
  readonly files_gone: number;
  /** Tables and columns that are left out: what is made from other rows, and what is encrypted or hashed. */
  readonly left_out: readonly string[];
}

interface ExportedFile {
  readonly id: string;
  readonly orgId: string;
  readonly path: string;
  readonly bytes: string;
  readonly store: string;
}

/**
 * Writes everything about a subject into a new ZIP archive, one row and one part of a file after the other: `rows/` has
 * the rows of each table as lines of JSON, `files/` and `workspaces/` the files of chats and documents and of
 * workspaces, and `report.json`, which comes last, says what is in it. The file gets its name once it is complete.
 */
export async function writeExport(
  source: ExportSource,
  subject: Subject,
  { to, say }: { readonly to: string; readonly say: (line: string) => void },
): Promise<ExportReport> {
  const path = resolve(to);
  if (existsSync(path)) throw new Refusal(`${path} already exists: choose a new file.`);
  const part = `${path}.part`;
  rmSync(part, { force: true });
  const archive = new Archive(part);
  try {
    const report = await new Export(source, subject, { archive, say }).write();
    await archive.close();
    renameSync(part, path);
    return report;
  } catch (error) {
    archive.abandon();
    rmSync(part, { force: true });
    throw error;
  }
}

/** A ZIP archive that is written as it grows. */
class Archive {
  readonly #zip = new yazl.ZipFile();
  readonly #written: Promise<void>;

  constructor(path: string) {
    this.#written = pipeline(this.#output, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
    // The error is thrown where the entry that has failed is added, or the archive is closed.
    this.#written.catch(() => undefined);
    this.#zip.on('error', () => undefined);
  }

  get #output(): Readable {
    return this.#zip.outputStream as Readable;
  }

  async add(path: string, content: Readable): Promise<void> {
    const ended = finished(content);
    this.#zip.addReadStream(content, path.replaceAll('\\', '_'));
    await Promise.race([ended, this.#written]);
  }

  async close(): Promise<void> {
    this.#zip.end();
    await this.#written;
  }

  abandon(): void {
    this.#output.destroy();
  }
}

class Export {
  readonly #source: ExportSource;
  readonly #subject: Subject;
  readonly #archive: Archive;
  readonly #say: (line: string) => void;

  constructor(
    source: ExportSource,
    subject: Subject,
    { archive, say }: { readonly archive: Archive; readonly say: (line: string) => void },
  ) {
    this.#source = source;
    this.#subject = subject;
    this.#archive = archive;
    this.#say = say;
  }

  async write(): Promise<ExportReport> {
    const { kind, id, name } = this.#subject;
    const client = await this.#source.database.system.connect();
    try {
      await client.query('begin isolation level repeatable read read only');
      // The defaults of the connection suit short queries by an index.
      await client.query('set local statement_timeout = 0; set local enable_seqscan = on');
      const createdAt = new Date().toISOString();
      const all = await rowsAbout(client, this.#subject);
      const exported = all.filter(({ table }) => !DERIVED.has(table) && !CREDENTIALS.has(table));
      const rows: [string, number][] = [];
      for (const each of exported) rows.push([each.table, await this.#writeRows(client, each)]);
      const files = await filesAbout(client, all);
      await client.query('commit');
      const gone = await this.#writeFiles(files);
      const report: ExportReport = {
        kind,
        id,
        name,
        version: packageJson.version,
        created_at: createdAt,
        rows: Object.fromEntries(rows.filter(([, count]) => count > 0)),
        files: files.length - gone,
        files_gone: gone,
        left_out: [
          ...all.filter((each) => !exported.includes(each)).map(({ table }) => table),
          ...exported.flatMap(({ table, byteColumns }) => byteColumns.map((column) => `${table}.${column}`)),
        ],
      };
      await this.#archive.add('report.json', Readable.from([`${JSON.stringify(report, undefined, 2)}\n`]));
      return report;
    } finally {
      // The pool must not reuse the connection with these settings.
      client.release(true);
    }
  }

  // Quotes and delimiters that JSON does not have: each line is the JSON as it is.
  async #writeRows(client: pg.PoolClient, { table, where, byteColumns }: SubjectRows): Promise<number> {
    const columns = pg.escapeLiteral(`{${byteColumns.join(',')}}`);
    const rows = client.query(
      copyTo(
        `copy (select (to_jsonb(t) - ${columns}::text[])::text from ${pg.escapeIdentifier(table)} t where ${where})
          to stdout (format csv, delimiter E'\\x02', quote E'\\x01')`,
      ),
    );
    await this.#archive.add(`rows/${table}.jsonl`, rows);
    if (rows.rowCount > 0) this.#say(`${table}: ${rows.rowCount} rows`);
    return rows.rowCount;
  }

  /** Returns how many files were gone. */
  async #writeFiles(files: readonly ExportedFile[]): Promise<number> {
    let gone = 0;
    for (const [at, file] of files.entries()) {
      const content = await this.#open(file);
      if (content === undefined) gone += 1;
      else await this.#archive.add(file.path, content);
      if ((at + 1) % 100 === 0 || at + 1 === files.length) this.#say(`${at + 1}/${files.length} files`);
    }
    return gone;
  }

  /** Opens a file; undefined when it was deleted after the snapshot. */
  async #open({ id, orgId, path, bytes, store }: ExportedFile): Promise<Readable | undefined> {
    const { database, files } = this.#source;
    if (store === ROW_STORE) {
      const content = (await readSmallContents(database, orgId, [id])).get(id);
      return content === undefined ? undefined : Readable.from([content]);
    }
    if (Number(bytes) === 0) return Readable.from([]);
    const stores = path.startsWith('workspaces/') ? files.ofWorkspaces : files;
    const content = stores.of({ store }).read({ orgId, fileId: id }, { start: 0, end: Number(bytes) - 1 });
    try {
      const first = await content.next();
      return Readable.from(first.done === true ? [] : rejoin(first.value, content), { objectMode: false });
    } catch (error) {
      if (error instanceof FileGone) return undefined;
      throw error;
    }
  }
}

async function* rejoin(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield first;
  yield* rest;
}

/** Returns the files of chats, documents and workspaces among the rows about a subject. */
async function filesAbout(transaction: Transaction, all: readonly SubjectRows[]): Promise<ExportedFile[]> {
  const whereOf = (table: string) => all.find((rows) => rows.table === table)?.where ?? 'false';
  const { rows } = await transaction.query<ExportedFile>(
    `select id, org_id as "orgId", 'files/' || id || '/' || path_name as path, bytes, store
        from chat_files where is_stored and (${whereOf('chat_files')})
      union all
      select c.id, c.org_id, concat_ws('/', 'workspaces', e.chat_id::text, nullif(e.folder, ''), e.name), c.bytes, c.store
        from (select * from workspace_entries where part = 'files' and type = 'file' and (${whereOf('workspace_entries')})) e
        join workspace_contents c on c.id = e.content_id
      order by path`,
  );
  return rows;
}
