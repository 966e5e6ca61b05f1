import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestStack } from '../support/test-stack.ts';
import {
  blockTurn,
  expectAnsweredOnce,
  openSocket,
  readTurns,
  reportRecovery,
  shownTurns,
  startConversation,
  uniqueText,
  waitUntilAnswered,
  waitUntilStored,
} from '../support/test-stack-conversation.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(async () => stack.close());

describe('a turn in mid-stream', () => {
  test('ends for its viewer at once, and the next message is answered after, when Temporal is killed', async () => {
    const text = uniqueText();
    const { conversation, socket, letGo } = await blockTurn(stack, 'first', { answers: [text, text] });
    const { at, backUp } = stack.end('temporal');
    letGo();
    const end = await socket.waitForEnd();
    expect(shownTurns(socket)).toEqual([{ text, end }]);
    socket.send({ type: 'message', content: 'next', client_message_id: 'second' });
    await waitUntilStored(conversation, 'second');
    const backAt = await backUp();
    await socket.waitForEnd(2);
    reportRecovery('Temporal kill -9', backAt, at);
    expect(shownTurns(socket)[1]?.text).toBe('You said: next');
    await expectAnsweredOnce(conversation, 'first', { content: text });
    await expectAnsweredOnce(conversation, 'second', { content: 'You said: next' });
    expect(await readTurns(stack, conversation.chatId)).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
    socket.close();
  });
});

describe('a message that is accepted while Temporal does not answer', () => {
  test('is answered once, when Temporal resumes after a suspension', async () => {
    const conversation = await startConversation(stack);
    const socket = await openSocket(conversation);
    stack.freeze('temporal');
    socket.send({ type: 'message', content: 'while it stood', client_message_id: 'stood' });
    await waitUntilStored(conversation, 'stood');
    stack.thaw('temporal');
    const backAt = performance.now();
    await socket.waitForEnd();
    reportRecovery('Temporal SIGSTOP', backAt);
    expect(shownTurns(socket)[0]?.text).toBe('You said: while it stood');
    await expectAnsweredOnce(conversation, 'stood', { content: 'You said: while it stood' });
    socket.close();
  });

  test('is answered once, when Temporal is killed after standing still', async () => {
    const conversation = await startConversation(stack);
    const socket = await openSocket(conversation);
    stack.freeze('temporal');
    socket.send({ type: 'message', content: 'while it died', client_message_id: 'died' });
    await waitUntilStored(conversation, 'died');
    const { at, backUp } = stack.end('temporal');
    const backAt = await backUp();
    await socket.waitForEnd();
    reportRecovery('Temporal SIGSTOP and kill -9', backAt, at);
    await expectAnsweredOnce(conversation, 'died', { content: 'You said: while it died' });
    socket.close();
  });
});

describe('open turns', () => {
  test('all end, each with one answer, when Temporal has lost everything it knew', async () => {
    const text = uniqueText();
    // Alone in its chat: no queued turn beside it brings its conversation back.
    const { conversation, socket } = await blockTurn(stack, 'running', { answers: [text, text] });
    const other = await startConversation(stack);
    const otherSocket = await openSocket(other);
    stack.freeze('temporal');
    for (const id of ['queued 1', 'queued 2']) {
      otherSocket.send({ type: 'message', content: id, client_message_id: id });
      await waitUntilStored(other, id);
    }
    stack.thaw('temporal');
    await stack.stop();
    stack.deleteTemporalStore();
    const backAt = await stack.startAgain();
    await Promise.all([waitUntilAnswered(conversation, 'running'), waitUntilAnswered(other, 'queued 2')]);
    reportRecovery("the loss of Temporal's store", backAt);
    await expectAnsweredOnce(conversation, 'running', { content: text });
    for (const id of ['queued 1', 'queued 2']) await expectAnsweredOnce(other, id, { content: `You said: ${id}` });
    socket.close();
    otherSocket.close();
  });
});
