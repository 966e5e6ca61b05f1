import { describe, expect, test } from '@jest/globals';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { entities } from './entities.ts';

/** The columns that only SQL and triggers read and write, though their tables have entities. */
const WITHOUT_PROPERTY: Readonly<Record<string, readonly string[]>> = {
  channels: ['next_edit_at'],
  definitions: ['revision', 'file_count', 'file_bytes'],
  integrations: ['renewing_until'],
  issues: ['bytes'],
  mcp_servers: ['tools', 'tools_revision', 'granted'],
  projects: ['last_number'],
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  /** Whether a row can be added that does not name it. */
  readonly isOptional: boolean;
}

const database = serveTestDatabase({ poolSize: 1 });

async function columnsOf(table: string): Promise<Column[]> {
  const { rows } = await database.system.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as "isNullable",
        not attnotnull or atthasdef as "isOptional"
      from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  return rows;
}

/** Returns the columns that an entity names, with the types as PostgreSQL calls them. */
async function mappedColumns(table: string): Promise<Omit<Column, 'isOptional'>[]> {
  const meta = [...database.orm.getMetadata().getAll().values()].find(({ tableName }) => tableName === table);
  const mapped = Object.values(meta?.properties ?? {}).filter(({ persist }) => persist !== false);
  const { rows } = await database.system.query<{ type: string }>(
    'select to_regtype(given)::text as type from unnest($1::text[]) with ordinality as types (given, at) order by at',
    [mapped.map(({ columnTypes }) => columnTypes[0])],
  );
  return mapped.map(({ fieldNames, nullable }, at) => ({
    name: fieldNames[0] ?? '',
    type: rows[at]?.type ?? '',
    isNullable: nullable === true,
  }));
}

const byName = (one: { readonly name: string }, other: { readonly name: string }) => (one.name < other.name ? -1 : 1);

describe.each(entities.map(({ meta }) => meta.tableName))('the entity of %s', (table) => {
  test('has a property for each column, of its type, and nullable if the column is', async () => {
    const omitted = new Set(WITHOUT_PROPERTY[table]);
    const columns = (await columnsOf(table)).filter(({ name }) => !omitted.has(name));
    expect((await mappedColumns(table)).toSorted(byName)).toEqual(
      columns.map(({ name, type, isNullable }) => ({ name, type, isNullable })).toSorted(byName),
    );
  });

  test('leaves out only columns without which a row can be added', async () => {
    const columns = new Map((await columnsOf(table)).map((column) => [column.name, column]));
    for (const name of WITHOUT_PROPERTY[table] ?? []) {
      expect(columns.get(name)).toMatchObject({ name, isOptional: true });
    }
  });
});
