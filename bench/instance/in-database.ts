import pg from 'pg';
import type { Instance } from './instance.ts';

/** Runs statements as somebody who sees every organization. */
export async function inDatabase<T>({ databaseUrl }: Instance, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
