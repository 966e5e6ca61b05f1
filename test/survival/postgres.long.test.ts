import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestStack } from '../support/test-stack.ts';
import {
  blockNextTurn,
  blockTurn,
  expectAnsweredOnce,
  readTurns,
  reopenSocket,
  reportRecovery,
  shownTurns,
  uniqueText,
} from '../support/test-stack-conversation.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(async () => stack.close());

describe('a turn in mid-stream', () => {
  test('keeps the words that the model says in the meantime and is not restarted, when PostgreSQL is killed', async () => {
    const text = uniqueText();
    const { conversation, socket, letGo } = await blockTurn(stack, 'kept', { answers: [text, 'never asked again'] });
    const { at, backUp } = stack.end('postgres');
    letGo();
    const backAt = await backUp();
    const end = await socket.waitForEnd();
    reportRecovery('PostgreSQL kill -9', backAt, at);
    expect(shownTurns(socket)).toEqual([{ text, end }]);
    await expectAnsweredOnce(conversation, 'kept', { content: text });
    expect(await readTurns(stack, conversation.chatId)).toMatchObject([{ attempt: 1 }]);
    // Words of a running turn arrive by notification only.
    const next = await blockNextTurn(conversation, socket, 'live again', { answers: [text, text] });
    next.letGo();
    await socket.waitForEnd(2);
    socket.close();
  });

  test('shows a viewer who comes later the whole answer once, when PostgreSQL has lost the stream in its crash', async () => {
    const text = uniqueText();
    const { conversation, socket, letGo } = await blockTurn(stack, 'lost', { answers: [text, 'never asked again'] });
    await stack.end('postgres').backUp();
    const late = await reopenSocket(conversation);
    letGo();
    const end = await late.waitForEnd();
    expect(shownTurns(late)).toEqual([{ text, end }]);
    await socket.waitForEnd();
    expect(shownTurns(socket)).toEqual([{ text, end }]);
    await expectAnsweredOnce(conversation, 'lost', { content: text });
    socket.close();
    late.close();
  });
});
