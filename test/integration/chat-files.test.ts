import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { makePdf, PICTURE } from '../support/documents/index.ts';
import { uploadFile } from '../support/factories.ts';
import { textOf } from '../support/scripted-model/chat-request.ts';
import { recoverDueWork } from '../support/recover-due-work.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

type Fields = Readonly<Record<string, unknown>>;

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

/** A model that takes pictures, and one of which nobody knows. */
const SEEING = 'gpt-4.1';
const BLIND = 'scripted-1';

async function open(agent: Fields = { tools: ['file_read', 'file_list'] }): Promise<OpenChat> {
  chat = await OpenChat.create(instance, { agent: { ...agent } });
  return chat;
}

async function fileOf(fileId: string): Promise<Fields> {
  return (await chat.user.client.get<Fields>(`/api/chats/${chat.id}/files/${fileId}`)).json;
}

/** Waits until the service is done with a file's text. */
async function done(fileId: string): Promise<Fields> {
  return waitUntil('the text of a file', async () => {
    const file = await fileOf(fileId);
    return file['status'] === 'pending' ? undefined : file;
  });
}

/** Sends a message, and returns what the model was asked at last and what was stored as the answer. */
async function ask(content: string, fileIds: readonly string[] = []) {
  const before = (await chat.answers()).length;
  const stream = await chat.post({ content, ...(fileIds.length > 0 && { file_ids: fileIds }) });
  const [answer] = (await chat.waitForAnswers(before + 1)).slice(-1);
  stream.close();
  const request = instance.model.requests.at(-1);
  return { answer, messages: request?.messages ?? [] };
}

describe('a file of a message', () => {
  test('is in the prompt before the message, also of later turns, and in the record of the message', async () => {
    await open();
    const fileId = await uploadFile(chat.user.client, chat.id, {
      name: 'r.pdf',
      content: makePdf(['Sales rose by 7%']),
    });
    const { messages } = await ask('What rose?', [fileId]);
    const asked = messages.find(({ role }) => role === 'user');
    const text = asked === undefined ? '' : textOf(asked);
    expect(text).toMatch(
      /^\[File uploads\/r.pdf, application\/pdf\. Its text is the data .*Sales rose by 7%.*What rose\?$/s,
    );
    expect(await fileOf(fileId)).toMatchObject({
      status: 'ready',
      text_path: 'uploads/r.pdf.txt',
      text_characters: 27,
    });
    const later = (await ask('And what fell?')).messages.filter(({ role }) => role === 'user');
    expect(later.map(textOf)).toEqual([text, 'And what fell?']);
    const { json } = await chat.user.client.get<Fields[]>(`/api/chats/${chat.id}/messages`);
    expect(json.map((message) => message['file_ids'])).toEqual([[fileId], [], [], []]);
  });

  test('that came over the socket is given too', async () => {
    await open();
    const fileId = await uploadFile(chat.user.client, chat.id, { content: 'the word is plum' });
    const socket = await chat.connect();
    socket.send({ type: 'message', content: 'Which word?', file_ids: [fileId] });
    await socket.waitForEnd();
    expect(JSON.stringify(instance.model.requests.at(-1)?.messages)).toContain('the word is plum');
  });

  test('is read on by the agent where it is too long to be shown', async () => {
    await open();
    const lines = Array.from({ length: 30_000 }, (_, at) => `line ${at + 1}`);
    const fileId = await uploadFile(chat.user.client, chat.id, { name: 'long.txt', content: lines.join('\n') });
    const args = JSON.stringify({ path: 'uploads/long.txt', start_line: 29_999 });
    const { answer, messages } = await ask(`[[tool file_read ${args}]] [[then]] [[say Read.]]`, [fileId]);
    const shown = JSON.stringify(messages);
    expect(shown).toMatch(/These are the first \d+ of \d+ characters\. Read it with file_read in uploads\/long\.txt/);
    expect(shown.includes(String.raw`line 29999\nline 30000`)).toBe(true);
    expect(answer?.metadata_['tool_calls_detail']).toMatchObject([{ name: 'file_read', status: 'success' }]);
  });

  test('is told to be deleted once it is', async () => {
    await open();
    const fileId = await uploadFile(chat.user.client, chat.id, { content: 'secret plum' });
    await ask('[[say Read.]]', [fileId]);
    await chat.user.client.delete(`/api/chats/${chat.id}/files/${fileId}`);
    const { messages } = await ask('Again');
    const shown = JSON.stringify(messages);
    expect(shown).toContain('[A file that came with this message has been deleted.]');
    expect(shown).not.toContain('[File uploads');
  });

  test('of which no text can be had says why, and the turn goes on', async () => {
    await open();
    const content = Buffer.from('PK\u0003\u0004 but no archive');
    const fileId = await uploadFile(chat.user.client, chat.id, { name: 'a.docx', content });
    const { answer, messages } = await ask('Read it', [fileId]);
    expect(answer?.metadata_['status']).toBe('completed');
    expect(await done(fileId)).toMatchObject({
      status: 'failed',
      error: 'The file is damaged: it is no complete archive',
    });
    expect(JSON.stringify(messages)).toContain('has no text: The file is damaged');
  });

  test.each([
    [SEEING, 'picture 1 of this message', true],
    [BLIND, 'a picture, which you cannot see', false],
  ])('that is a picture is shown to a model that takes pictures: %s', async (model, words, isShown) => {
    await open({ tools: [], model_pref: model });
    const fileId = await uploadFile(chat.user.client, chat.id, { name: 'p.png', content: PICTURE });
    const shown = JSON.stringify((await ask('What is it?', [fileId])).messages);
    expect(shown).toContain(words);
    expect(shown.includes(`data:image/png;base64,${PICTURE.toString('base64')}`)).toBe(isShown);
  });
});

test('a text is extracted although nobody heard of the upload', async () => {
  await open();
  const fileId = await uploadFile(chat.user.client, chat.id, { content: 'late' });
  await done(fileId);
  // As it is when the engine was down.
  await instance.api.database.system.query(
    "update chat_files set status = 'pending', text_characters = null, updated_at = now() - interval '1 minute' where id = $1",
    [fileId],
  );
  await instance.api.database.system.query('delete from chat_file_texts where file_id = $1', [fileId]);
  await recoverDueWork(instance);
  const file = await waitUntil('the text', async () =>
    (await fileOf(fileId))['status'] === 'ready' ? fileOf(fileId) : undefined,
  );
  expect(file).toMatchObject({ text_characters: 4 });
});
