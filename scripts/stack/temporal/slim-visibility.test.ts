import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { startBareTemporal } from '../../../test/support/bare-temporal.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { casesOf } from '../../../test/support/in-length.ts';
import { sharedServices } from '../../../test/support/shared-services.ts';
import { slimVisibility } from './slim-visibility.ts';
import { startTemporal } from './start-temporal.ts';

const folder = mkdtempSync(join(tmpdir(), 'everturn-visibility-'));
const whole = join(folder, 'whole.db');
const file = join(folder, 'temporal.db');
/** Indexes and triggers. */
const wholeCount = 62;
const slimCount = 12;

beforeAll(async () => {
  const temporal = await startBareTemporal(whole);
  await temporal.stop();
});
beforeEach(() => {
  for (const suffix of ['', '-wal', '-shm', '.complete']) rmSync(file + suffix, { force: true });
  copyFileSync(whole, file);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the visibility store of the pinned server', () => {
  test('is slimmed, and keeps the indexes that lists need', () => {
    expect(objects()).toHaveLength(wholeCount);
    expect(slimVisibility(file)).toBe('slimmed');
    expect(objects()).toEqual([
      'by_status',
      'by_temporal_namespace_division',
      'by_workflow_id',
      'by_workflow_type',
      'default_idx',
      'everturn_executions_visibility_fts_keyword_list_delete',
      'everturn_executions_visibility_fts_keyword_list_insert',
      'everturn_executions_visibility_fts_keyword_list_update',
      'everturn_executions_visibility_fts_text_delete',
      'everturn_executions_visibility_fts_text_insert',
      'everturn_executions_visibility_fts_text_update',
      'sqlite_autoindex_executions_visibility_1',
    ]);
  });

  test('is left alone when it is slim', () => {
    slimVisibility(file);
    const before = objects();
    expect(slimVisibility(file)).toBe('slim before');
    expect(objects()).toEqual(before);
  });

  test('finds texts and keywords as before, whatever was written before and after', () => {
    insert('old', { Text01: 'red fox', KeywordList01: 'a♡b' });
    insert('plain', null);
    slimVisibility(file);
    insert('new', { Text01: 'red hen', KeywordList01: 'b♡c' });
    insert('empty', null);
    update('plain', { KeywordList01: 'b' });
    update('old', { Text01: 'red cow', KeywordList01: 'a♡c' });
    expect([found('red'), found('fox'), found('cow')]).toEqual([['new', 'old'], [], ['old']]);
    expect([listed('a'), listed('b'), listed('c')]).toEqual([['old'], ['new', 'plain'], ['new', 'old']]);
    update('new', null);
    remove('old');
    remove('empty');
    expect([found('red'), listed('b'), listed('c')]).toEqual([[], ['plain'], []]);
  });
});

describe('a visibility store', () => {
  test('is left whole, and that is logged, when its schema is another one', async () => {
    execute('create index by_something_new on executions_visibility (namespace_id, encoding)');
    const before = objects();
    expect(slimVisibility(file)).toBe('of an unknown schema');
    let logged = '';
    copyFileSync(file, `${file}.complete`);
    const temporal = await startTemporal({
      binary: sharedServices().temporalBinary,
      dbFile: file,
      port: await freePort(),
      log: (text) => (logged += text),
    });
    await temporal.stop();
    expect(logged).toContain('The visibility store of this version is not known: it is left whole');
    expect(objects()).toEqual(before);
  });

  test.each(casesOf([5, 20, 0, 10, 40], 2))(
    'is whole or slim, and then slimmed, when the process is killed %i ms after its start',
    async (delayMs) => {
      const script = fileURLToPath(new URL('./slim-visibility.ts', import.meta.url));
      const child = spawn(
        process.execPath,
        ['-e', `import('${script}').then((m) => { process.stdout.write('.'); m.slimVisibility('${file}'); })`],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      );
      const exited = once(child, 'exit');
      await Promise.race([once(child.stdout, 'data'), exited]);
      setTimeout(() => child.kill('SIGKILL'), delayMs);
      await exited;
      expect([wholeCount, slimCount]).toContain(objects().length);
      expect(['slimmed', 'slim before']).toContain(slimVisibility(file));
      expect(objects()).toHaveLength(slimCount);
      expect(column('pragma integrity_check')).toEqual(['ok']);
    },
  );

  test('stays whole when the server locks it for too long', () => {
    const other = open();
    other.exec('begin immediate');
    expect(() => slimVisibility(file)).toThrow('database is locked');
    other.close();
    expect(objects()).toHaveLength(wholeCount);
    expect(slimVisibility(file)).toBe('slimmed');
  });
});

function open(): DatabaseSync {
  return new DatabaseSync(file, { enableDoubleQuotedStringLiterals: true });
}

function execute(sql: string): void {
  const database = open();
  database.exec(sql);
  database.close();
}

function column(sql: string, ...values: string[]): string[] {
  const database = open();
  const rows = database.prepare(sql).all(...values);
  database.close();
  return rows.map((row) => String(Object.values(row)[0]));
}

function objects(): string[] {
  return column(
    "select name from sqlite_schema where tbl_name = 'executions_visibility' and type in ('index', 'trigger') order by name",
  );
}

type Attributes = Record<string, string> | null;

function insert(runId: string, attributes: Attributes): void {
  column(
    `insert into executions_visibility (namespace_id, run_id, start_time, execution_time, workflow_id, workflow_type_name, status,
      encoding, search_attributes) values ('n', ?, '2026', '2026', '', '', 1, '', ?)`,
    runId,
    attributes === null ? '{}' : JSON.stringify(attributes),
  );
}

function update(runId: string, attributes: Attributes): void {
  column(
    'update executions_visibility set search_attributes = ? where run_id = ?',
    attributes === null ? '{}' : JSON.stringify(attributes),
    runId,
  );
}

function remove(runId: string): void {
  column('delete from executions_visibility where run_id = ?', runId);
}

/** As the server asks for a text. */
function found(word: string): string[] {
  return matches('executions_visibility_fts_text', `Text01 : ("${word}")`);
}

/** As the server asks for a member of a keyword list. */
function listed(keyword: string): string[] {
  return matches('executions_visibility_fts_keyword_list', `KeywordList01 : ("${keyword}")`);
}

function matches(searchTable: string, query: string): string[] {
  return column(
    `select run_id from executions_visibility where rowid in (select rowid from ${searchTable} where ${searchTable} = ?) order by run_id`,
    query,
  );
}
