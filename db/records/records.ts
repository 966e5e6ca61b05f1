import {
  type EntityManager,
  type EntityMetadata,
  type EntityProperty,
  type FilterQuery,
  LockMode,
  UniqueConstraintViolationException,
} from '@mikro-orm/postgresql';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { isUniqueViolation } from '../core/unavailable.ts';
import { parseExactJson } from '../../domain/core/exact-json.ts';
import { type ExpectedVersions, requireVersion } from '../../domain/resources.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';

/** A selection of an organization's records. */
interface RecordQuery<K> {
  /** Names the prepared statement. */
  readonly name: string;
  /** The properties to read; all of them unless given. */
  readonly only?: readonly K[];
  /** A condition in SQL; its parameters begin at `$2`. All records of the organization unless given. */
  readonly where?: string;
  readonly values?: readonly unknown[];
  readonly page: Page;
  /** An SQL expression for a record's size beside its texts, in bytes; 200 unless given. */
  readonly moreBytes?: string;
}

/**
 * Reads a page of the records of one organization for display, oldest first. They are plain rows: changes to them are
 * not stored. One round trip, bound by row-level security. An entity manager would take four round trips and, for fifty
 * records, some eight times the processor time.
 */
export async function readRecords<T extends object, K extends keyof T & string = keyof T & string>(
  { orm, tenant }: Pick<Database, 'orm' | 'tenant'>,
  orgId: string,
  entity: new () => T,
  { name, only, where = 'true', values = [], page, moreBytes = '200' }: RecordQuery<K>,
): Promise<Listed<Pick<T, K>>> {
  const { tableName, props }: EntityMetadata = orm.getMetadata().get(entity);
  const read = props.filter((property) => only === undefined || (only as readonly string[]).includes(property.name));
  return readPage<Pick<T, K>>(async (statement) => tenant.query(orgId, statement), {
    name,
    columns: read.map((property) => `${property.fieldNames[0]} as "${property.name}"`).join(', '),
    bytes: [moreBytes, ...read.flatMap(bytesOf)].join(' + '),
    source: `from ${tableName} where org_id = $1 and (${where})`,
    order: 'id',
    values: [orgId, ...values],
    page,
  });
}

function bytesOf({ fieldNames: [column], columnTypes: [type], nullable }: EntityProperty): string[] {
  if (type !== 'text' && type !== 'jsonb' && type !== 'bytea') return [];
  const bytes = `octet_length(${column}${type === 'jsonb' ? '::text' : ''})`;
  return [nullable === true ? `coalesce(${bytes}, 0)` : bytes];
}

/** Returns the record that a filter names; `thing` is what `not_found` calls it when there is none. */
export async function requireRecord<T extends object>(
  em: EntityManager,
  entity: new () => T,
  thing: string,
  where: FilterQuery<NoInfer<T>>,
): Promise<T> {
  const record = await em.findOne<T>(entity, where);
  if (record === null) throw notFound(thing);
  return record;
}

/** Returns the record that a filter names, locked until the transaction has ended; `not_found` when there is none. */
export async function lockRecord<T extends object>(
  em: EntityManager,
  entity: new () => T,
  thing: string,
  where: FilterQuery<NoInfer<T>>,
): Promise<T> {
  const record = await em.findOne<T>(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (record === null) throw notFound(thing);
  return record;
}

/** Stores what was changed; `conflict` with these words when another record has what must be unique. */
export async function flushUnique(em: EntityManager, taken: string): Promise<void> {
  try {
    await em.flush();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new AppError('conflict', taken, { cause: error });
  }
}

interface SoftDeleted {
  id: string;
  deletedAt: Date | null;
  deletedBy: string | null;
  updatedAt: Date;
}

/** Returns the live record; throws the same `not_found` for an unknown, a deleted and another organization's id. */
export async function findLive<T extends SoftDeleted>(
  em: EntityManager,
  entity: new () => T,
  thing: string,
  id: string,
) {
  const record = await em.findOne<SoftDeleted>(entity as new () => SoftDeleted, { id, deletedAt: null });
  if (record === null) throw notFound(thing);
  return record as T;
}

/** Deletes a live record softly, in the name of somebody. */
export function markDeleted(record: SoftDeleted, userId: string): void {
  record.deletedAt = new Date();
  record.deletedBy = userId;
}

interface DeletedRecord {
  /** Its name in messages. */
  readonly thing: string;
  readonly id: string;
  readonly expected?: ExpectedVersions;
}

/**
 * Restores a deleted record; a record that is not deleted is a conflict, one of another version than is expected is not
 * restored.
 */
export async function restoreDeleted<T extends SoftDeleted>(
  em: EntityManager,
  entity: new () => T,
  { thing, id, expected }: DeletedRecord,
): Promise<T> {
  // Read again: the transaction may have waited for another that has restored it.
  const record = await em.findOne<SoftDeleted>(entity as new () => SoftDeleted, { id }, { refresh: true });
  if (record === null) throw notFound(thing);
  requireVersion(record, expected);
  if (record.deletedAt === null) throw new AppError('conflict', `${thing} is not deleted`);
  record.deletedAt = null;
  record.deletedBy = null;
  return record as T;
}

/** A row that has the JSON under these names as text, because the library would change its numbers. */
export type WithJsonTexts<Row, Name extends keyof Row> = Omit<Row, Name> & {
  readonly [Each in Name]: string | Extract<Row[Each], null>;
};

/** Returns a row with the JSON that it has as text. */
export function parseJsonTexts<Row, const Name extends keyof Row>(
  row: WithJsonTexts<Row, Name>,
  names: readonly Name[],
): Row {
  const texts: Readonly<Record<Name, string | null>> = row;
  const values = names.map((name) => [name, texts[name] === null ? null : parseExactJson(texts[name])]);
  return { ...row, ...Object.fromEntries(values) } as Row;
}

/** The records that name a record: how many there are, and the names of the first of them that may be shown. */
export interface NamedUsers {
  readonly total: number;
  readonly names: readonly string[];
}

/** How many of those that name a record are shown. */
export const MAX_NAMED_USERS = 5;

/** The number of rows that one statement removes, and of statements that follow each other. */
const BATCH = 1_000;
const MAX_BATCHES = 100;

/**
 * Deletes rows of a table that a condition in SQL selects, at most 100,000; the folder that owns the table calls it.
 */
export async function purgeRows({ system }: Pick<Database, 'system'>, table: string, condition: string): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const { rowCount } = await system.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${BATCH}))`,
    );
    if ((rowCount ?? 0) < BATCH) return;
  }
}

/** Returns the SQL of what a user is called by others; `user` is the alias of its row. */
export function userName(user: string): string {
  return `coalesce(nullif(${user}.full_name, ''), ${user}.email)`;
}

/**
 * Returns ids as the text of a PostgreSQL array: the parameter of `any(?::uuid[])` in a statement of an entity manager.
 */
export function uuidArray(ids: readonly string[]): string {
  return `{${ids.join(',')}}`;
}

/**
 * Adds a record under an id that its caller has chosen: the same id again, also at the same time, returns the stored
 * record. The stored record is searched for before anything is checked, so that a repetition is not refused because of
 * later changes.
 */
export async function addOnce<T>(find: () => Promise<T | undefined>, add: () => Promise<T>): Promise<T> {
  const stored = await find();
  if (stored !== undefined) return stored;
  try {
    return await add();
  } catch (error) {
    if (!mayBeStored(error)) throw error;
    // The first error explains what is wrong, even when the record cannot be searched for.
    const meanwhile = await find().catch(() => undefined);
    if (meanwhile === undefined) throw error;
    return meanwhile;
  }
}

// Another call that adds the same record meets its id or its name, or fills what there is room for.
function mayBeStored(error: unknown): boolean {
  return isUniqueViolation(error) || (error instanceof AppError && error.code === 'conflict');
}
