import type { EntityMetadata, EntityProperty } from '@mikro-orm/postgresql';
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
