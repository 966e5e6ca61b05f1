import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { CRASH_MS, KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { makePdf, makePdfBomb } from '../../test/support/documents/index.ts';
import { createChat, registerUser, type TestUser, uploadFile } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import type { FileStores } from '../../files/file-stores.ts';
import { extractText } from './extract-file-text.ts';

const served = serveTestApi();

let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort(new Error('stopped')));

/** Adds a file to a new chat of a user's active organization. */
async function addFile(
  { client, orgId }: Pick<TestUser, 'client' | 'orgId'>,
  name: string,
  content: string | Buffer = makePdf(['Hello']),
) {
  const chatId = await createChat(client);
  return { orgId, fileId: await uploadFile(client, chatId, { name, content }), content };
}

/** Extracts the text of a file, whose bytes can be read once `gate` has resolved; returns what went wrong. */
async function extract(
  { content, ...file }: Awaited<ReturnType<typeof addFile>>,
  gate: Promise<void> = Promise.resolve(),
): Promise<unknown> {
  const read = async function* read(): AsyncGenerator<Buffer, void, undefined> {
    await gate;
    yield Buffer.from(content);
  };
  const files = { of: () => ({ read }) } as unknown as FileStores;
  return extractText({ database: served.api.database, files }, file, stop.signal).catch((error: unknown) => error);
}

const statusOf = async (fileId: string) => {
  const { rows } = await served.api.database.system.query<{ status: string }>(
    'select status from chat_files where id = $1',
    [fileId],
  );
  return rows[0]?.status;
};

test('while documents of several organizations of one person are being read, others have their texts', async () => {
  const [user, neighbour] = [await registerUser(served.url), await registerUser(served.url)];
  const gate = Promise.withResolvers<void>();
  const blocked: Promise<unknown>[] = [];
  for (const name of ['One', 'Two', 'Three']) {
    const { json: org } = await user.client.post<{ id: string }>('/api/orgs', { name });
    await user.client.post(`/api/orgs/${org.id}/switch`);
    blocked.push(extract(await addFile({ client: user.client, orgId: org.id }, 'slow.pdf'), gate.promise));
  }
  const quick = await addFile(neighbour, 'quick.pdf');
  expect([await extract(quick), await statusOf(quick.fileId)]).toEqual([undefined, 'ready']);
  // A plain text waits for no document, of the same person either.
  const notes = await addFile(neighbour, 'notes.md', '# Notes');
  blocked.push(extract(await addFile(neighbour, 'slow.pdf'), gate.promise));
  expect([await extract(notes), await statusOf(notes.fileId)]).toEqual([undefined, 'ready']);
  gate.resolve();
  expect(await Promise.all(blocked)).toEqual([undefined, undefined, undefined, undefined]);
});

test('a file that ends the process which reads it is counted against the owner', async () => {
  const user = await registerUser(served.url);
  const [bomb, sound] = [await addFile(user, 'bomb.pdf', makePdfBomb()), await addFile(user, 'sound.pdf')];
  const charged = jest.spyOn(KeyedSemaphore.prototype, 'charge');
  for (const file of [bomb, sound]) expect(await extract(file)).toBeUndefined();
  const { orgId, id: ownerId } = user;
  expect(charged.mock.calls).toEqual([[{ ownerId, orgId }, CRASH_MS]]);
  charged.mockRestore();
});
