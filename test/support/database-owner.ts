import pg from 'pg';
import { sharedPostgres, withDatabase } from './shared-services.ts';

/** Gives a connection to a test database of the one who owns its tables, and may change them. */
export async function withClient<T>(databaseUrl: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const client = new pg.Client({ connectionString: withDatabase((await sharedPostgres()).ownerUrl, name) });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
