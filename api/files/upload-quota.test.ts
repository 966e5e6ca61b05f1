import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { abandonUpload, beginUpload, finishUpload } from '../../db/files/uploads.ts';
import { purgeOrg } from '../../db/membership-changes/delete-org.ts';
import { createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

// What an organization has uploaded is kept as a sum, by triggers.

const KILOBYTE = 1024;
const served = serveTestApi();
let user: TestUser;
let chatId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  chatId = await createChat(user.client);
});

const owner = () => ({ orgId: user.orgId, userId: user.id });
const begin = async (store = 'postgres') =>
  beginUpload(served.api.database, owner(), { chatId, name: 'a.txt', mediaType: 'text/plain', store });
const finish = async (upload: Awaited<ReturnType<typeof begin>>, { size = KILOBYTE, maxBytes = 10 * KILOBYTE } = {}) =>
  finishUpload(served.api.database, upload, { size, mediaType: 'text/plain', maxBytes });

/** The sum that is kept, which is that of the files themselves. */
async function used(orgId = user.orgId): Promise<number> {
  const { rows } = await served.api.database.system.query<{ kept: number; real: number }>(
    `select coalesce((select bytes from chat_file_usage where org_id = $1), 0)::int as kept,
      (select coalesce(sum(bytes), 0)::int from chat_files where org_id = $1 and is_stored) as real`,
    [orgId],
  );
  const [{ kept, real } = { kept: -1, real: -2 }] = rows;
  expect(kept).toBe(real);
  return kept;
}

describe('the bytes that an organization has uploaded', () => {
  test('are those of its finished uploads, wherever they lie', async () => {
    const [inDatabase, elsewhere, unfinished] = [await begin(), await begin('s3'), await begin()];
    expect(await used()).toBe(0);
    await finish(inDatabase);
    await finish(elsewhere, { size: 2 * KILOBYTE });
    expect(await used()).toBe(3 * KILOBYTE);
    await abandonUpload(served.api.database, unfinished);
    expect(await used()).toBe(3 * KILOBYTE);
  });

  test('are counted once, however often an upload is ended', async () => {
    const upload = await begin();
    await finish(upload);
    await expect(finish(upload)).rejects.toThrow('limit');
    await abandonUpload(served.api.database, upload);
    expect(await used()).toBe(KILOBYTE);
  });

  test('are fewer when files are deleted, and when their chat is removed', async () => {
    const [first, second, third] = [await begin(), await begin(), await begin()];
    for (const upload of [first, second, third]) await finish(upload);
    expect((await user.client.delete(`/api/chats/${chatId}/files/${first.fileId}`)).status).toBe(204);
    expect(await used()).toBe(2 * KILOBYTE);
    await served.api.database.system.query('delete from chats where id = $1', [chatId]);
    expect(await used()).toBe(0);
  });

  test('go with the organization', async () => {
    await finish(await begin());
    expect((await user.client.delete(`/api/orgs/${user.orgId}`)).status).toBe(204);
    expect(await purgeOrg(served.api.database, user.orgId, () => undefined)).toBe(true);
    expect(await used()).toBe(0);
  });

  test('do not change when the text of a file is extracted', async () => {
    const upload = await begin();
    await finish(upload);
    await served.api.database.system.query("update chat_files set status = 'failed' where id = $1", [upload.fileId]);
    expect(await used()).toBe(KILOBYTE);
  });

  test('never exceed the limit, also when uploads end at the same instant', async () => {
    const uploads = [];
    for (let each = 0; each < 12; each += 1) uploads.push(await begin());
    const ends = await Promise.allSettled(uploads.map(async (upload) => finish(upload, { maxBytes: 5 * KILOBYTE })));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await used()).toBe(5 * KILOBYTE);
  });

  test('stay right while uploads end, files are deleted and chats removed beside each other', async () => {
    const chats = [chatId, await createChat(user.client), await createChat(user.client)];
    const work = chats.flatMap((chat, at) =>
      Array.from({ length: 6 }, async (_, each) => {
        const upload = await beginUpload(served.api.database, owner(), {
          chatId: chat,
          name: `${each}.txt`,
          mediaType: 'text/plain',
          store: 'postgres',
        });
        await finish(upload, { maxBytes: KILOBYTE ** 2 });
        if (each % 2 === 0) await user.client.delete(`/api/chats/${chat}/files/${upload.fileId}`);
        if (at === 2 && each === 3) await served.api.database.system.query('delete from chats where id = $1', [chat]);
      }),
    );
    // Those whose chat is gone fail.
    await Promise.allSettled(work);
    expect(await used()).toBeLessThanOrEqual(9 * KILOBYTE);
    expect(await used()).toBeGreaterThan(0);
  });

  test('are added at once for files that are added by one statement', async () => {
    const { system } = served.api.database;
    await system.query(
      `insert into chat_files (id, org_id, chat_id, name, path_name, media_type, store, bytes, is_stored)
        select gen_random_uuid(), $1, $2, 'a', $3 || n, 'text/plain', 'postgres', 10, true
        from generate_series(1, 5000) n`,
      [user.orgId, chatId, randomUUID()],
    );
    expect(await used()).toBe(50_000);
  });
});
