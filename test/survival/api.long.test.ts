import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestStack } from '../support/test-stack.ts';
import {
  type Conversation,
  expectAnsweredOnce,
  firstWords,
  HELD_WORDS,
  holdTurn,
  newestMessage,
  openSocket,
  openStream,
  readTurns,
  reopenSocket,
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
  test('is shown each word once over all connections, when the api is killed and the reader resumes where it was', async () => {
    const text = uniqueText();
    const { conversation, socket, content, letGo } = await holdTurn(stack, 'read', {
      answers: [text, 'never asked again'],
    });
    const message = { content, client_message_id: 'read' };
    const before = await openStream(conversation, message);
    await waitUntil('the first words', () => (before.text === firstWords(text, HELD_WORDS) ? true : undefined));
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
