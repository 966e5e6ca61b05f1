import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { sharedServices, TEMPLATE_DATABASE, withDatabase } from './shared-services.ts';

/** A database of its own, made from the migrated template in some milliseconds. */
export interface TestDatabase {
  /** Connects as the service does. */
  readonly url: string;
  drop(): Promise<void>;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const { postgresUrl, postgresOwnerUrl } = sharedServices();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runAsOwner(postgresOwnerUrl, `create database ${name} template ${TEMPLATE_DATABASE}`);
  return {
    url: withDatabase(postgresUrl, name),
    drop: () => runAsOwner(postgresOwnerUrl, `drop database ${name} with (force)`),
  };
}

async function runAsOwner(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Two workers that clone the template in the same instant would refuse each other.
  await client.query('select pg_advisory_lock(4711)');
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
