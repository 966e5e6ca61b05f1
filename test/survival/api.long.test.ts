import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestStack } from '../support/test-stack.ts';
import {
  blockTurn,
  type Conversation,
  expectAnsweredOnce,
  firstWords,
  newestMessage,
  openSocket,
  openStream,
  readTurns,
  reopenSocket,
  SHOWN_WORDS,
  shownTurns,
  startConversation,
  uniqueText,
  waitUntilAnswered,
  waitUntilStored,
} from '../support/test-stack-conversation.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(async () => stack.close());

describe('a viewer of a turn in mid-stream', () => {
  test('is shown the whole answer once over the new connection, when the api is killed', async () => {
    const text = uniqueText();
    const { conversation, socket, letGo } = await blockTurn(stack, 'viewed', { answers: [text, 'never asked again'] });
    const asked = stack.model.requests.length;
    await stack.end('api').backUp();
    const again = await reopenSocket(conversation);
    await waitUntil('the first words', () => (again.text === firstWords(text, SHOWN_WORDS) ? true : undefined));
    letGo();
    const end = await again.waitForEnd();
    expect(shownTurns(again)).toEqual([{ text, end }]);
    expect(shownTurns(socket)).toEqual([{ text: firstWords(text, SHOWN_WORDS), end: undefined }]);
    expect(stack.model.requests).toHaveLength(asked);
    await expectAnsweredOnce(conversation, 'viewed', { content: text });
    again.close();
  });

  test('is shown each word once over all connections, when the api is killed and the reader resumes where it was', async () => {
    const text = uniqueText();
    const { conversation, socket, content, letGo } = await blockTurn(stack, 'read', {
      answers: [text, 'never asked again'],
    });
    const message = { content, client_message_id: 'read' };
    const before = await openStream(conversation, message);
    await waitUntil('the first words', () => (before.text === firstWords(text, SHOWN_WORDS) ? true : undefined));
    await stack.end('api').backUp();
    letGo();
    const after = await openStream(conversation, message, before.lastEventId);
    const end = await after.waitForEnd();
    expect(before.text + after.text).toBe(text);
    expect(end.data['message']).toMatchObject({ content: text });
    await expectAnsweredOnce(conversation, 'read', { content: text });
    socket.close();
  });
});

test('an api that is asked to end notifies its sockets that it restarts, and ends its streams', async () => {
  const text = uniqueText();
  const { conversation, socket, content, letGo } = await blockTurn(stack, 'ended', { answers: [text, text] });
  const stream = await openStream(conversation, { content, client_message_id: 'ended' });
  await stream.waitFor('the first words', ({ event }) => event === 'chunk');
  await stack.end('api', 'SIGTERM').backUp();
  expect(stack.output).toContain('api stopped (exit code 0)');
  expect(socket.closeCode).toBe(1012);
  expect(stream.isDone).toBe(true);
  letGo();
  await waitUntilAnswered(conversation, 'ended');
  await expectAnsweredOnce(conversation, 'ended', { content: text });
});

describe('a message whose client heard nothing before the api was killed', () => {
  test.each([
    ['the frame was just sent', async () => undefined],
    ['the message was stored', async (conversation: Conversation, id: string) => waitUntilStored(conversation, id)],
    ['the model was asked', async (_: Conversation, id: string) => waitUntilAsked(id)],
  ])(
    'is answered once, when it is sent again with its client_message_id after a kill when %s',
    async (moment, reach) => {
      const conversation = await startConversation(stack);
      const socket = await openSocket(conversation);
      const frame = { type: 'message', content: moment, client_message_id: moment };
      await new Promise<unknown>((resolve) => socket.socket.send(JSON.stringify(frame), resolve));
      await reach(conversation, moment);
      await stack.end('api').backUp();
      const again = await reopenSocket(conversation);
      again.send(frame);
      await waitUntilAnswered(conversation, moment);
      await expectAnsweredOnce(conversation, moment, { content: `You said: ${moment}` });
      expect(await readTurns(stack, conversation.chatId)).toHaveLength(1);
      again.close();
    },
  );
});

async function waitUntilAsked(content: string): Promise<void> {
  await stack.model.waitForRequest((request) => newestMessage(request) === content);
}
