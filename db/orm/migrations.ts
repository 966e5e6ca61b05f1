import { globSync, readFileSync } from 'node:fs';
import type { MigrationObject } from '@mikro-orm/core';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from '../migrations/list.ts';
import { BASELINE } from '../migrations/pending-migrations.ts';
import { entities } from './entities.ts';
import { ENSURE_SERVICE_ROLE } from './service-role.ts';

const SCHEMA = new URL('../schema/', import.meta.url);
const MIGRATIONS = new URL('../migrations/', import.meta.url);

/** Thrown for a database that another baseline than this one has made. Nothing in it has been changed. */
export class FormerSchema extends Error {
  override readonly name = 'FormerSchema';
  constructor() {
    super(
      'This database was made by an earlier version or an unreleased state of Everturn, which this one cannot upgrade. Nothing was changed; docs/upgrading.md says how to move its data.',
    );
  }
}

/**
 * Brings the schema of the database to the state this code expects, and returns the migrations that were run.
 * Concurrent calls are safe: one does the work. Throws `FormerSchema`.
 *
 * @param last the last migration to run; all unless given.
 */
export async function migrate(databaseUrl: string, last?: string): Promise<string[]> {
  const files = globSync('[0-9]*.sql', { cwd: SCHEMA }).toSorted();
  const schema = files.map((file) => new URL(file, SCHEMA));
  const orm = await MikroORM.init({
    clientUrl: databaseUrl,
    entities,
    extensions: [Migrator],
    migrations: {
      tableName: 'schema_migrations',
      migrationsList: [
        sqlMigration(BASELINE, schema),
        ...migrations.map((name) => sqlMigration(name, [new URL(`${name}.sql`, MIGRATIONS)])),
      ],
      snapshot: false,
      silent: true,
    },
  });
  try {
    return await orm.em.getConnection().transactional(async (transaction) => {
      await orm.em.getConnection().execute('select pg_advisory_xact_lock(7309345182)', [], 'run', transaction);
      const executed = await orm.migrator.getExecuted();
      if (executed.length > 0 && !executed.some(({ name }) => name === BASELINE)) throw new FormerSchema();
      const done = await orm.migrator.up(last === undefined ? undefined : { to: last });
      await orm.em.getConnection().execute(ENSURE_SERVICE_ROLE, [], 'run');
      return done.map(({ name }) => name);
    });
  } finally {
    await orm.close();
  }
}

const POLICIES = new URL('../schema/policies.sql', import.meta.url);
const DROP_POLICIES = 'drop procedure add_tenant_policy, add_list_policy, add_search_policy, add_system_policy';

/**
 * Makes a migration of files of SQL, which run in order. They see and change the rows of all organizations, and may
 * call the procedures of `policies.sql`.
 */
export function sqlMigration(name: string, files: readonly URL[]): MigrationObject {
  class SqlMigration extends Migration {
    override up(): void {
      // Row-level security binds the owner of the tables, too.
      this.addSql("select set_config('app.scope', 'system', true)");
      for (const file of [POLICIES, ...files]) this.addSql(readFileSync(file, 'utf8'));
      this.addSql(DROP_POLICIES);
    }
  }
  return { name, class: SqlMigration };
}
