import { afterAll, beforeAll } from '@jest/globals';
import type { Database } from '../../db/core/database.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { createTestDatabase } from './test-database.ts';

type Options = Omit<Parameters<typeof connectDatabase>[0], 'url'>;

/** Connects the tests of the calling file to a database of their own, which is there while they run. */
export function serveTestDatabase(options: Options = {}): Database {
  const database = {} as Database;
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const created = await createTestDatabase();
    ({ drop } = created);
    Object.assign(database, await connectDatabase({ url: created.url, ...options }));
  });
  afterAll(async () => {
    await database.close();
    await drop?.();
  });
  return database;
}
