import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
  chat = await OpenChat.create(instance);
});
afterAll(async () => {
  chat.close();
  await instance.close();
});

/** Waits until a worker has entered so many messages of the chat, although nobody searches; returns their roles. */
async function entered(count: number): Promise<string[]> {
  return waitUntil(`${count} messages to be entered`, async () => {
    const { rows } = await instance.api.database.system.query<{ role: string }>(
      'select m.role from message_words w join messages m on m.id = w.message_id where w.chat_id = $1 order by m.id',
      [chat.id],
    );
    return rows.length === count ? rows.map(({ role }) => role) : undefined;
  });
}

test('a question and its answer are entered into the search by a worker', async () => {
  await chat.post({ content: 'hello' });
  expect(await entered(2)).toEqual(['user', 'assistant']);
});
