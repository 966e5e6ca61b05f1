import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestStack } from '../support/test-stack.ts';
import {
  blockTurn,
  expectAnsweredOnce,
  firstWords,
  reopenSocket,
  SHOWN_WORDS,
  shownTurns,
  unfinishedAttempts,
  uniqueText,
  waitUntilStored,
} from '../support/test-stack-conversation.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(async () => stack.close());

test('a turn in mid-stream is answered once and shown once, when its worker is killed', async () => {
  const text = uniqueText();
  const { conversation, socket } = await blockTurn(stack, 'killed', { answers: [text, text] });
  await stack.end('worker').backUp();
  const end = await socket.waitForEnd();
  expect(end['content']).toBe(text);
  expect(shownTurns(socket)).toEqual([{ text, end }]);
  await expectAnsweredOnce(conversation, 'killed', { content: text });
  expect(await unfinishedAttempts(conversation)).toEqual(['lost']);
  socket.close();
});

test('a turn in mid-stream and the one behind it are answered once, when the whole machine loses power', async () => {
  const text = uniqueText();
  const { conversation, socket, letSecondGo } = await blockTurn(stack, 'power', {
    answers: [text, text],
    blocksSecond: true,
  });
  socket.send({ type: 'message', content: 'queued', client_message_id: 'queued' });
  await waitUntilStored(conversation, 'queued');
  await stack.killAll();
  await stack.startAgain();
  const again = await reopenSocket(conversation);
  letSecondGo();
  await again.waitForEnd(2);
  expect(shownTurns(socket)).toEqual([{ text: firstWords(text, SHOWN_WORDS), end: undefined }]);
  expect(shownTurns(again).map((shown) => shown.text)).toEqual([text, 'You said: queued']);
  await expectAnsweredOnce(conversation, 'power', { content: text });
  await expectAnsweredOnce(conversation, 'queued', { content: 'You said: queued' });
  again.close();
});
