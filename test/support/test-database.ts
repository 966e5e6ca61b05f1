import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { sharedPostgres, TEMPLATE_DATABASE, withDatabase } from './shared-services.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/** A database of its own, made from the migrated template in some milliseconds. */
export interface TestDatabase {
  /** Connects as the service does. */
  readonly url: string;
  drop(): Promise<void>;
}

/** One that is empty until its owner migrates it. */
export interface EmptyDatabase extends TestDatabase {
  /** Connects as the owner of its tables does. */
  readonly ownerUrl: string;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`template ${TEMPLATE_DATABASE} strategy file_copy`);
}

export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  return createDatabase('');
}

async function createDatabase(options: string): Promise<EmptyDatabase> {
  const { url, ownerUrl } = await sharedPostgres();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runAsOwner(ownerUrl, `create database ${name} ${options}`);
  return {
    url: withDatabase(url, name),
    ownerUrl: withDatabase(ownerUrl, name),
    drop: async () => dropDatabase(ownerUrl, name),
  };
}

// Only a superuser may end an autovacuum worker with `force`; without it PostgreSQL ends such workers by itself.
async function dropDatabase(ownerUrl: string, name: string): Promise<void> {
  try {
    await runAsOwner(ownerUrl, `drop database ${name} with (force)`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
    await runAsOwner(ownerUrl, `drop database ${name}`);
  }
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
