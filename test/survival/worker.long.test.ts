import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestWorker } from '../support/test-worker.ts';
import { TestStack } from '../support/test-stack.ts';
import {
  blockTurn,
  type Conversation,
  expectAnsweredOnce,
  firstWords,
  openSocket,
  readTurns,
  reportRecovery,
  SHOWN_WORDS,
  shownTurns,
  startConversation,
  unfinishedAttempts,
  uniqueText,
  waitUntilAnswered,
} from '../support/test-stack-conversation.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(async () => stack.close());

describe('a turn in mid-stream', () => {
  test('ends with what is stored and shows nothing twice, when the model says something else after a kill', async () => {
    const [first, second] = [uniqueText(), uniqueText()];
    const { conversation, socket } = await blockTurn(stack, 'diverging', { answers: [first, second] });
    const { at, backUp } = stack.end('worker');
    const backAt = await backUp();
    const end = await socket.waitForEnd();
    reportRecovery('worker kill -9', backAt, at);
    expect(end['content']).toBe(second);
    expect(shownTurns(socket)).toEqual([{ text: firstWords(first, SHOWN_WORDS), end }]);
    await expectAnsweredOnce(conversation, 'diverging', { content: second });
    socket.close();
  });

  test('is handed over at once, when its worker is asked to end', async () => {
    const text = uniqueText();
    const { conversation, socket } = await blockTurn(stack, 'handed over', { answers: [text, text] });
    await stack.end('worker', 'SIGTERM').backUp();
    const end = await socket.waitForEnd();
    expect(stack.output).toContain('worker stopped (exit code 0)');
    expect(new Set(await unfinishedAttempts(conversation))).toEqual(new Set(['released']));
    expect(shownTurns(socket)).toEqual([{ text, end }]);
    await expectAnsweredOnce(conversation, 'handed over', { content: text });
    socket.close();
  });

  test('keeps what was said and asks no model again, when it is interrupted while its worker is dead', async () => {
    const text = uniqueText();
    const { conversation, socket } = await blockTurn(stack, 'interrupted', { answers: [text, text] });
    const asked = stack.model.requests.length;
    const { at, backUp } = stack.end('worker');
    socket.send({ type: 'interrupt' });
    const backAt = await backUp();
    const end = await socket.waitForEnd();
    reportRecovery('worker kill -9 with an interrupt', backAt, at);
    const said = firstWords(text, SHOWN_WORDS);
    expect(shownTurns(socket)).toEqual([{ text: said, end }]);
    expect(stack.model.requests).toHaveLength(asked);
    expect(await readTurns(stack, conversation.chatId)).toMatchObject([{ status: 'interrupted', answers: [said] }]);
    socket.close();
  });

  test('is answered once, when its machine is suspended until it is taken for dead, and resumes', async () => {
    const text = uniqueText();
    const { conversation, socket, letGo } = await blockTurn(stack, 'frozen', { answers: [text, text] });
    stack.freezeSupervisor();
    stack.freeze('worker');
    letGo();
    await waitUntilGivenUp(conversation);
    const thawAt = performance.now();
    stack.thaw('worker');
    stack.thawSupervisor();
    const end = await socket.waitForEnd();
    reportRecovery('worker SIGSTOP until it was taken for dead', thawAt);
    await waitUntil('all requests of the turn to end', () =>
      stack.model.requests.every(({ endedAt }) => endedAt !== null) ? true : undefined,
    );
    expect(shownTurns(socket)).toEqual([{ text, end }]);
    await expectAnsweredOnce(conversation, 'frozen', { content: text });
    socket.close();
  });

  test('is answered by another worker, and the first one stores nothing any more, when that stood still', async () => {
    const [first, second] = [uniqueText(), uniqueText()];
    const options = { answers: [first, second], blocksSecond: true } as const;
    const { conversation, socket, letGo, letSecondGo } = await blockTurn(stack, 'zombie', options);
    const { chatId } = conversation;
    const other = await startTestWorker(stack.workerEnvironment);
    const asked = stack.model.requests.length;
    stack.freezeSupervisor();
    stack.freeze('worker');
    const frozenAt = performance.now();
    await waitUntil('the other worker to ask the model', () => stack.model.requests[asked]);
    reportRecovery('worker SIGSTOP beside another worker', frozenAt);
    // Words of an attempt that was replaced are shown to nobody, once its successor has spoken.
    await waitUntil('the other worker to publish', async () => ((await hasPublished(chatId, 2)) ? true : undefined));
    letGo();
    stack.thaw('worker');
    stack.thawSupervisor();
    // Whether it tries to store its answer or hears first that it was replaced is a matter of chance, and neither is
    // seen.
    await waitUntil('its request to end', () => (stack.model.requests[asked - 1]?.endedAt === null ? undefined : true));
    // It has done either by the time that a turn has been answered which was begun after that.
    await answerBystander();
    letSecondGo();
    const end = await socket.waitForEnd();
    expect(shownTurns(socket)).toEqual([{ text: firstWords(first, SHOWN_WORDS), end }]);
    await expectAnsweredOnce(conversation, 'zombie', { content: second });
    await other.kill();
    socket.close();
  });
});

/** Waits until the lease of the conversation's turn has run out: any other worker would take the turn over now. */
async function waitUntilGivenUp({ chatId }: Conversation): Promise<void> {
  const isGivenUp = async () => {
    const expired = await stack.query('select from turns where chat_id = $1 and lease_until < now()', [chatId]);
    return expired.length > 0 || undefined;
  };
  await waitUntil('the lease to run out', isGivenUp);
}

/** Has a message in another chat answered. */
async function answerBystander(): Promise<void> {
  const bystander = await startConversation(stack);
  const socket = await openSocket(bystander);
  socket.send({ type: 'message', content: 'is anybody there?', client_message_id: 'bystander' });
  await waitUntilAnswered(bystander, 'bystander');
  socket.close();
}

async function hasPublished(chatId: string, attempt: number): Promise<boolean> {
  const events = await stack.query(
    'select from turn_events e join turns t on t.id = e.turn_id where t.chat_id = $1 and e.attempt = $2',
    [chatId, attempt],
  );
  return events.length > 0;
}

describe('a worker that is asked to end', () => {
  test('does so while Temporal is suspended, and logs when something hung', async () => {
    const worker = await startTestWorker(stack.workerEnvironment);
    stack.freeze('temporal');
    await worker.stop();
    stack.thaw('temporal');
    const [exitCode] = (await worker.exited) as [number | null];
    // Whether a request to Temporal hangs at that moment is a matter of chance.
    const hung = 'worker has not stopped within 10 s: giving up';
    expect({ exitCode, saysWhy: worker.log().includes(hung) }).toEqual({
      exitCode: exitCode === 0 ? 0 : 1,
      saysWhy: exitCode !== 0,
    });
  });
});
