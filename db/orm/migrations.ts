import { globSync } from 'node:fs';
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { migrations } from '../migrations/list.ts';
import { entities } from './entities.ts';
import { BASELINE } from '../migrations/pending-migrations.ts';
import { ENSURE_SERVICE_ROLE } from './service-role.ts';
import { sqlMigration } from './sql-migration.ts';

const SCHEMA = new URL('../schema/', import.meta.url);
const MIGRATIONS = new URL('../migrations/', import.meta.url);

/** Thrown for a database that the migrations from before `db/schema` have made. Nothing in it has been changed. */
export class FormerSchema extends Error {
  override readonly name = 'FormerSchema';
  constructor() {
    super(
      'This database was made by an earlier version of Everturn, which this one cannot upgrade. Nothing was changed; docs/upgrading.md says how to move its data.',
    );
  }
}

/**
 * Brings the schema of the database to the state this code expects, and returns the migrations that were run.
 * Concurrent calls are safe: one does the work. Throws `FormerSchema`.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
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
      const done = await orm.migrator.up();
      await orm.em.getConnection().execute(ENSURE_SERVICE_ROLE, [], 'run');
      return done.map(({ name }) => name);
    });
  } finally {
    await orm.close();
  }
}
