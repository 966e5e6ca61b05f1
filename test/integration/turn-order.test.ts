import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { say } from '../support/scripted-model/index.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => {
  chat.close();
  instance.model.script(null);
});

/** The transcript of the request whose newest message this is, without directives of other turns. */
function transcript(newest: string): [string, unknown][] {
  const request = instance.model.requests.findLast(({ messages }) => messages.at(-1)?.content === newest);
  return (request?.messages ?? []).map(({ role, content }) => [role, content]);
}

async function ask(content: string): Promise<void> {
  await (await chat.post({ content })).waitForEnd();
}

describe('the turns of a chat', () => {
  test('run one after another in the order of their messages, when six are sent at once', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    const words = Array.from({ length: 6 }, (_, n) => `n${n}`);
    for (const word of words) socket.send({ type: 'message', content: word, client_message_id: word });
    await socket.waitForEnd(6);
    expect(socket.endings.map((end) => end['content'])).toEqual(words.map((word) => `You said: ${word}`));
    expect(socket.text).toBe(words.map((word) => `You said: ${word}`).join(''));
    const requests = instance.model.requests.filter(({ messages }) =>
      words.some((word) => messages.at(-1)?.content === word),
    );
    expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(words);
    for (const [n, request] of requests.entries()) {
      expect(request.startedAt).toBeGreaterThan(requests[n - 1]?.endedAt ?? 0);
    }
  });

  test('each see all that came before in the order of the turns, though their messages came first', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    for (const word of ['o1', 'o2', 'o3']) socket.send({ type: 'message', content: word, client_message_id: word });
    await socket.waitForEnd(3);
    expect(transcript('o3')).toEqual([
      ['user', 'o1'],
      ['assistant', 'You said: o1'],
      ['user', 'o2'],
      ['assistant', 'You said: o2'],
      ['user', 'o3'],
    ]);
  });

  test('do not wait for those of another chat', async () => {
    chat = await OpenChat.create(instance);
    const blocked = await chat.post({ content: '[[hold side after 1 chunk]]' });
    await blocked.waitFor('chunk', ({ event }) => event === 'chunk');
    const second = await chat.another();
    await (await second.post({ content: '[[say meanwhile]]' })).waitForEnd();
    expect(blocked.isDone).toBe(false);
    instance.model.release('side');
    await blocked.waitForEnd();
  });

  test('go on after one that failed', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    for (const content of ['[[status 500]]', '[[say fine]]']) socket.send({ type: 'message', content });
    await socket.waitForEnd(2);
    expect(socket.endings.map(({ type }) => type)).toEqual(['error', 'stream_end']);
  });

  test('end in the order of the turns for every viewer, when turns fail before they say anything', async () => {
    chat = await OpenChat.create(instance);
    const words = Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? `bad${n}` : `good${n}`));
    instance.model.script(({ messages }) =>
      words.indexOf(messages.at(-1)?.content as string) % 2 === 0
        ? { kind: 'status', status: 500 }
        : say('fine words here'),
    );
    const socket = await chat.connect();
    for (const content of words) socket.send({ type: 'message', content });
    await socket.waitForEnd(6);
    expect(socket.endings.map(({ type }) => type)).toEqual(words.map((_, n) => (n % 2 === 0 ? 'error' : 'stream_end')));
    expect(socket.text).toBe('fine words here'.repeat(3));
  });
});

describe('the transcript that a model is given', () => {
  test('begins with the system prompt of the agent', async () => {
    chat = await OpenChat.create(instance, { agent: { system_prompt: 'You are terse.' } });
    await ask('t1');
    expect(transcript('t1')).toEqual([
      ['system', 'You are terse.'],
      ['user', 't1'],
    ]);
  });

  test('never run when their messages were withdrawn, and are asked with the words that these have at last', async () => {
    chat = await OpenChat.create(instance);
    const first = await chat.post({ content: '[[hold queue-1 after 2 chunks]]' });
    await waitUntil('two words', () => (first.text === 'w1 w2' ? true : undefined));
    const [second, third, fourth] = [
      await chat.post({ content: 'withdrawn 1' }),
      await chat.post({ content: 'old words' }),
      await chat.post({ content: 'withdrawn 2' }),
    ];
    const [, two, three, four] = (await chat.messages()).filter(({ role }) => role === 'user');
    const path = (id = '') => `/api/chats/${chat.id}/messages/${id}`;
    for (const message of [four, two])
      expect((await chat.user.client.post(`${path(message?.id)}/withdraw`)).status).toBe(200);
    expect((await chat.user.client.patch(path(three?.id), { content: 'new words' })).status).toBe(200);
    instance.model.release('queue-1');
    for (const reader of [first, second, third, fourth]) await reader.waitForEnd();
    await ask('afterwards');
    expect(transcript('afterwards').filter(([role]) => role === 'user')).toEqual([
      ['user', '[[hold queue-1 after 2 chunks]]'],
      ['user', 'new words'],
      ['user', 'afterwards'],
    ]);
    const asked = JSON.stringify(instance.model.requests.map(({ messages }) => messages));
    expect(asked).not.toMatch(/withdrawn [12]|old words/);
    expect((await chat.answers()).map(({ metadata_ }) => metadata_['withdrawn'] ?? false)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('leaves out excluded messages until they are taken back', async () => {
    chat = await OpenChat.create(instance);
    await ask('x1');
    await ask('x2');
    const [question, answer] = await chat.messages();
    const path = (id = '') => `/api/chats/${chat.id}/messages/${id}/excluded`;
    for (const message of [question, answer]) await chat.user.client.patch(path(message?.id), { excluded: true });
    await ask('x3');
    expect(transcript('x3')).toEqual([
      ['user', 'x2'],
      ['assistant', 'You said: x2'],
      ['user', 'x3'],
    ]);
    await chat.user.client.patch(path(question?.id), { excluded: false });
    await ask('x4');
    // Two questions in a row become one message: several providers refuse them otherwise.
    expect(transcript('x4')[0]).toEqual(['user', 'x1\n\nx2']);
  });

  test('keeps what the model said until a failure or an interrupt, and says how it ended', async () => {
    chat = await OpenChat.create(instance);
    await ask('[[error-in-stream after 2 chunks]]');
    const stopped = await chat.post({ content: '[[hold never-1 after 2 chunks]]' });
    await waitUntil('two words', () => (stopped.text === 'w1 w2' ? true : undefined));
    await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
    await stopped.waitForEnd();
    await ask('f1');
    expect(transcript('f1')).toEqual([
      ['user', '[[error-in-stream after 2 chunks]]'],
      ['assistant', expect.stringMatching(/^w1 w2\n\n\[This answer failed: .*\]$/)],
      ['user', '[[hold never-1 after 2 chunks]]'],
      ['assistant', 'w1 w2\n\n[The user interrupted this answer here.]'],
      ['user', 'f1'],
    ]);
  });

  test('holds the newest part of a conversation that is too long, and always the message to answer', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script(say('ok'));
    const [long, longer, longest] = ['a', 'b', 'c'].map((letter) => letter.repeat(140_000));
    for (const content of [long, longer, longest]) await ask(content ?? '');
    await ask('last');
    expect(
      transcript('last')
        .slice(-5)
        .map(([role, content]) => [role, String(content).slice(0, 4)]),
    ).toEqual([
      ['user', 'bbbb'],
      ['assistant', 'ok'],
      ['user', 'cccc'],
      ['assistant', 'ok'],
      ['user', 'last'],
    ]);
    expect(transcript('last').some(([, content]) => String(content).startsWith('aaaa'))).toBe(false);
  });

  // Several providers refuse a conversation that begins with an answer.
  test('begins with a question, when the conversation is too long', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script(say('ok'));
    for (const letter of ['d', 'e', 'f']) await ask(letter.repeat(140_000));
    await ask('end');
    expect(transcript('end')[0]?.[0]).toBe('user');
  });
});
