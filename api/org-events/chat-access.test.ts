import { expect, test } from '@jest/globals';
import type { Database } from '../../db/core/database.ts';
import { createChat, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { ChatAccessCache } from './org-feeds.ts';

const served = serveTestApi();

test('what is removed while it is read is read again', async () => {
  const chatId = await createChat((await registerUser(served.url)).client);
  const { system } = served.api.database;
  let reads = 0;
  // The pool itself; the news of a change comes between the rows and their reader.
  const query = async (...given: unknown[]): Promise<unknown> => {
    const rows: unknown = await Reflect.apply(system.query, system, given);
    reads += 1;
    if (reads === 1) cache.forget(chatId);
    return rows;
  };
  const cache = new ChatAccessCache({ system: { query } as unknown as Database['system'] });
  for (const expected of [1, 2, 2]) {
    expect((await cache.of([chatId])).get(chatId)?.isShared).toBe(false);
    expect(reads).toBe(expected);
  }
});
