import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestStack } from '../support/test-stack.ts';
import {
  expectAnsweredOnce,
  firstWords,
  HELD_WORDS,
  holdTurn,
  openStream,
  reopenSocket,
  shownTurns,
  unfinishedAttempts,
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

test('a turn in mid-stream is answered once and shown once, when its worker is killed', async () => {
  const text = uniqueText();
  const { conversation, socket } = await holdTurn(stack, 'killed', { answers: [text, text] });
  await stack.end('worker').backUp();
  const end = await socket.waitForEnd();
  expect(end['content']).toBe(text);
  expect(shownTurns(socket)).toEqual([{ text, end }]);
  await expectAnsweredOnce(conversation, 'killed', { content: text });
  expect(await unfinishedAttempts(conversation)).toEqual(['lost']);
  socket.close();
});

test('a viewer of a turn in mid-stream is shown the whole answer once over the new connection, when the api is killed', async () => {
  const text = uniqueText();
  const { conversation, socket, letGo } = await holdTurn(stack, 'viewed', { answers: [text, 'never asked again'] });
  const asked = stack.model.requests.length;
  await stack.end('api').backUp();
  const again = await reopenSocket(conversation);
  await waitUntil('the first words', () => (again.text === firstWords(text, HELD_WORDS) ? true : undefined));
  letGo();
  const end = await again.waitForEnd();
  expect(shownTurns(again)).toEqual([{ text, end }]);
  expect(shownTurns(socket)).toEqual([{ text: firstWords(text, HELD_WORDS), end: undefined }]);
  expect(stack.model.requests).toHaveLength(asked);
  await expectAnsweredOnce(conversation, 'viewed', { content: text });
  again.close();
});

test('an api that is asked to end tells its sockets that it restarts, and ends its streams', async () => {
  const text = uniqueText();
  const { conversation, socket, content, letGo } = await holdTurn(stack, 'ended', { answers: [text, text] });
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

test('a turn in mid-stream and the one behind it are answered once, when the whole machine loses power', async () => {
  const text = uniqueText();
  const { conversation, socket, letSecondGo } = await holdTurn(stack, 'power', {
    answers: [text, text],
    holdsSecond: true,
  });
  socket.send({ type: 'message', content: 'queued', client_message_id: 'queued' });
  await waitUntilStored(conversation, 'queued');
  await stack.killAll();
  await stack.startAgain();
  const again = await reopenSocket(conversation);
  letSecondGo();
  await again.waitForEnd(2);
  expect(shownTurns(socket)).toEqual([{ text: firstWords(text, HELD_WORDS), end: undefined }]);
  expect(shownTurns(again).map((shown) => shown.text)).toEqual([text, 'You said: queued']);
  await expectAnsweredOnce(conversation, 'power', { content: text });
  await expectAnsweredOnce(conversation, 'queued', { content: 'You said: queued' });
  again.close();
});
