import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** The state of a server's visibility store, which it keeps for lists and counts of workflows. */
export type VisibilityStore = 'slimmed' | 'slim before' | 'of an unknown schema';

/**
 * The schema for which a test proves that a slim store gives the same answers: that of Temporal 1.32.0. A version of
 * the server with another one is left whole, until the test has run with it.
 */
const provenSchema = '8310e3b66b18b5de484626b20ca3afc2b52eb40fcaf974f2c7522046f1f1190d';

const table = 'executions_visibility';

/**
 * Contain the words of texts and the members of keyword lists, kept by triggers; queries on such attributes search
 * there.
 */
const searchTables = [`${table}_fts_text`, `${table}_fts_keyword_list`];

/**
 * What lists are ordered by, and what people and schedules narrow them by. Without these a list reads the whole table,
 * during which the server, with its one connection, does nothing else: two seconds with 100,000 workflows.
 */
const keptIndexes = [
  'default_idx',
  'by_workflow_id',
  'by_workflow_type',
  'by_status',
  'by_temporal_namespace_division',
];

/**
 * Rids the visibility store of what costs a quarter to a third of the server's work for a new workflow and changes no
 * answer: most of its indexes, and entries in search tables for rows with nothing to search for. The server may be
 * running. Everything happens in one transaction; a second call changes nothing.
 */
export function slimVisibility(dbFile: string): VisibilityStore {
  // The server's schema puts texts between double quotes.
  const database = new DatabaseSync(dbFile, { timeout: 5000, enableDoubleQuotedStringLiterals: true });
  try {
    database.exec('begin immediate');
    const present = objects(database, 'trigger');
    if (searchTables.some((searchTable) => present.includes(triggerName(searchTable, 'insert')))) return 'slim before';
    if (schemaDigest(database) !== provenSchema) return 'of an unknown schema';
    for (const name of present) database.exec(`drop trigger ${name}`);
    for (const name of objects(database, 'index')) {
      if (!keptIndexes.includes(name)) database.exec(`drop index ${name}`);
    }
    for (const searchTable of searchTables) addTriggers(database, searchTable);
    database.exec('commit');
    return 'slimmed';
  } finally {
    // Without a commit nothing has happened.
    database.close();
  }
}

/** Returns the names of the table's triggers, or of its indexes other than that of its primary key. */
function objects(database: DatabaseSync, type: 'trigger' | 'index'): string[] {
  return database
    .prepare('select name from sqlite_schema where type = ? and tbl_name = ? and sql is not null')
    .all(type, table)
    .map(({ name }) => String(name));
}

function schemaDigest(database: DatabaseSync): string {
  const rows = database
    .prepare('select type, name, sql from sqlite_schema where tbl_name in (?, ?, ?) order by type, name')
    .all(table, ...searchTables);
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

/**
 * Keeps a search table as the server's own triggers do, but for rows without a value to search for, and for updates
 * that change none: both leave every search as it is.
 */
function addTriggers(database: DatabaseSync, searchTable: string): void {
  const columns = database
    .prepare('select name from pragma_table_info(?)')
    .all(searchTable)
    .map(({ name }) => String(name));
  const values = (row: 'old' | 'new'): string => columns.map((column) => `${row}.${column}`).join(', ');
  const hasValue = (row: 'old' | 'new'): string => `coalesce(${values(row)}) is not null`;
  const add = `insert into ${searchTable} (rowid, ${columns.join(', ')})
    select new.rowid, ${values('new')} where ${hasValue('new')};`;
  const remove = `insert into ${searchTable} (${searchTable}, rowid, ${columns.join(', ')})
    select 'delete', old.rowid, ${values('old')} where ${hasValue('old')};`;
  database.exec(`
    create trigger ${triggerName(searchTable, 'insert')} after insert on ${table} when ${hasValue('new')}
      begin ${add} end;
    create trigger ${triggerName(searchTable, 'delete')} after delete on ${table} when ${hasValue('old')}
      begin ${remove} end;
    create trigger ${triggerName(searchTable, 'update')} after update on ${table} when (${values('old')}) is not (${values('new')})
      begin ${remove} ${add} end;`);
}

function triggerName(searchTable: string, event: 'insert' | 'delete' | 'update'): string {
  return `everturn_${searchTable}_${event}`;
}
