import { expect, test } from '@jest/globals';
import type { Database } from '../../db/core/index.ts';
import { createChat, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { ChatAudiences } from './chat-audiences.ts';

const served = serveTestApi();

test('what is forgotten while it is looked up is looked up again', async () => {
  const chatId = await createChat((await registerUser(served.url)).client);
  const { system } = served.api.database;
  let looks = 0;
  // The pool itself; the news of a change comes between the rows and their reader.
  const query = async (...given: unknown[]): Promise<unknown> => {
    const rows: unknown = await Reflect.apply(system.query, system, given);
    looks += 1;
    if (looks === 1) audiences.forget(chatId);
    return rows;
  };
  const audiences = new ChatAudiences({ system: { query } as unknown as Database['system'] });
  for (const expected of [1, 2, 2]) {
    expect((await audiences.of([chatId])).get(chatId)?.isShared).toBe(false);
    expect(looks).toBe(expected);
  }
});
