import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestStack } from '../support/test-stack.ts';
import {
  RECOVERY_LIMIT_MS,
  expectAnsweredOnce,
  firstWords,
  HELD_WORDS,
  holdNextTurn,
  holdTurn,
  readTurns,
  reopenSocket,
  reportRecovery,
  shownTurns,
  uniqueText,
  waitUntilStored,
} from '../support/test-stack-conversation.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
}, 120_000);
afterAll(async () => stack.close(), 90_000);

describe('a turn in mid-stream', () => {
  test('keeps the words that the model says meanwhile and is not begun anew, when PostgreSQL is killed', async () => {
    const text = uniqueText();
    const { conversation, socket, letGo } = await holdTurn(stack, 'kept', { answers: [text, 'never asked again'] });
    const { at, backUp } = stack.end('postgres');
    letGo();
    const backAt = await backUp();
    const end = await socket.waitForEnd(1, 40_000);
    expect(reportRecovery('PostgreSQL kill -9', backAt, at)).toBeLessThan(RECOVERY_LIMIT_MS);
    expect(shownTurns(socket)).toEqual([{ text, end }]);
    await expectAnsweredOnce(conversation, 'kept', { content: text });
    expect(await readTurns(stack, conversation.chatId)).toMatchObject([{ attempt: 1 }]);
    // Words of a running turn arrive by notification only.
    const next = await holdNextTurn(conversation, socket, 'live again', { answers: [text, text] });
    next.letGo();
    await socket.waitForEnd(2);
    socket.close();
  }, 90_000);

  test('shows a viewer who comes later the whole answer once, when PostgreSQL has lost the stream in its crash', async () => {
    const text = uniqueText();
    const { conversation, socket, letGo } = await holdTurn(stack, 'lost', { answers: [text, 'never asked again'] });
    await stack.end('postgres').backUp();
    const late = await reopenSocket(conversation);
    letGo();
    const end = await late.waitForEnd(1, 40_000);
    expect(shownTurns(late)).toEqual([{ text, end }]);
    await socket.waitForEnd();
    expect(shownTurns(socket)).toEqual([{ text, end }]);
    await expectAnsweredOnce(conversation, 'lost', { content: text });
    socket.close();
    late.close();
  }, 90_000);

  test('is answered once, when the whole machine loses power and starts again', async () => {
    const text = uniqueText();
    const { conversation, socket } = await holdTurn(stack, 'power', { answers: [text, text] });
    socket.send({ type: 'message', content: 'queued', client_message_id: 'queued' });
    await waitUntilStored(conversation, 'queued');
    await stack.killAll();
    const backAt = await stack.startAgain();
    const again = await reopenSocket(conversation);
    await again.waitForEnd(2, 40_000);
    expect(reportRecovery('kill -9 of everything', backAt)).toBeLessThan(RECOVERY_LIMIT_MS);
    expect(shownTurns(socket)).toEqual([{ text: firstWords(text, HELD_WORDS), end: undefined }]);
    expect(shownTurns(again).map((shown) => shown.text)).toEqual([text, 'You said: queued']);
    await expectAnsweredOnce(conversation, 'power', { content: text });
    await expectAnsweredOnce(conversation, 'queued', { content: 'You said: queued' });
    again.close();
  }, 120_000);
});
