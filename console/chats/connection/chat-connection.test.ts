import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Problem } from '../../core/http/problem.ts';
import type { Message, StepFrame } from './merge-messages.ts';
import { ChatConnection } from './chat-connection.ts';
import { messageAt } from '../../../test/support/console/sample-message.ts';
import { ScriptedSocket } from '../../../test/support/console/scripted-socket.ts';

let sockets: ScriptedSocket[];
let stored: Message[];
let reads: { limit: number; before?: string | undefined }[];
let fault: Problem | undefined;
let shown: string[];
let turnChanges: number;
/** What the answers to reads wait for. */
let blocked: Promise<void>;
let connection: ChatConnection;

beforeEach(async () => {
  jest.useFakeTimers();
  [sockets, reads, shown, fault] = [[], [], [], undefined];
  turnChanges = 0;
  stored = [messageAt(0), messageAt(1), messageAt(2)];
  blocked = Promise.resolve();
  connection = open();
  connection.subscribe(() => shown.push(textOf('turn 1')));
  await pass(0);
});
afterEach(() => {
  connection.close();
  jest.useRealTimers();
});

function open(): ChatConnection {
  return new ChatConnection({
    chatId: 'chat',
    openSocket: (token) => {
      const socket = new ScriptedSocket(token);
      sockets.push(socket);
      return socket;
    },
    takeToken: async () => ({ value: 'token', expiresAt: Date.now() + 3_600_000 }),
    readMessages: async (page) => {
      reads.push(page);
      await blocked;
      if (fault !== undefined) throw fault;
      const end = page.before === undefined ? stored.length : stored.findIndex(({ id }) => id === page.before);
      const messages = stored.slice(Math.max(0, end - page.limit), end);
      return { messages, olderCount: end - messages.length };
    },
    schedule: (flush) => void setTimeout(flush, 16),
    onTurnChange: () => (turnChanges += 1),
  });
}

const pass = async (ms = 20) => jest.advanceTimersByTimeAsync(ms);
const live = (turnId: string) => connection.view.live.find((turn) => turn.turnId === turnId);
const answerOf = (turnId: string) =>
  connection.view.messages.find(({ role, turn_id: id }) => role === 'assistant' && id === turnId);
/** What a reader sees of an answer. */
const textOf = (turnId: string) => answerOf(turnId)?.content ?? live(turnId)?.text ?? '';

function socket(index = -1): ScriptedSocket {
  const found = sockets.at(index);
  if (found === undefined) throw new Error('no such socket was opened');
  return found;
}
const join = (turn_id: string | null = 'turn 1', steps: StepFrame[] = []) =>
  ({ type: 'joined', turn_id, newest_message_id: stored.at(-1)?.id ?? null, steps }) as const;
const chunk = (offset: number, content: string, turn_id = 'turn 1') =>
  ({ type: 'chunk', turn_id, offset, content }) as const;
const end = (content: string, turn_id = 'turn 1') =>
  ({
    type: 'stream_end',
    turn_id,
    message_id: 'message 3',
    content,
    metadata: { status: 'completed' },
    created_at: messageAt(3).created_at,
    provider_used: 'Team',
    agent_id: null,
    agent_name: 'Scout',
  }) as const;
const stepBegin: StepFrame = {
  type: 'sub_agent_step_start',
  turn_id: 'turn 1',
  task_id: 'turn 1',
  step_id: 'a',
  step_name: 'file_read',
  step_label: 'Read',
};

describe('a chat', () => {
  test('opens with one page of messages and one socket', () => {
    expect([reads, sockets.length]).toEqual([[{ limit: 100 }], 1]);
    expect(connection.view).toMatchObject({ isLoaded: true, olderCount: 0, messages: stored });
  });

  test.each([
    ['a turn runs', () => join('turn 1')],
    ['none does', () => (stored.push(messageAt(3)), connection.refresh(), join(null))],
  ])('reads its messages once when all of them were stored before the socket joined, and %s', async (_name, joined) => {
    const frame = joined();
    await pass();
    const before = reads.length;
    socket().say(frame);
    await pass();
    expect(reads).toHaveLength(before);
  });

  test.each([
    ['a message was stored', () => (stored.push(messageAt(3), messageAt(4)), join('turn 2'))],
    ['an answer is missing, though nothing is newer', () => join(null)],
  ])('reads its messages again when the socket joined after %s', async (_name, joined) => {
    socket().say(joined());
    await pass();
    expect(reads.length).toBeGreaterThan(1);
    expect(connection.view.messages).toEqual(stored);
  });

  describe('whose socket joins before its messages are read', () => {
    let arrive: () => void;
    beforeEach(async () => {
      connection.close();
      reads = [];
      blocked = new Promise((resolve) => (arrive = resolve));
      connection = open();
      await pass(0);
    });

    test.each([
      ['once when they are all there', 1, () => socket().say(chunk(0, 'The '), join('turn 1'))],
      [
        'twice when one came after them',
        2,
        () => (socket().say(join('turn 1')), socket().say(chunk(0, 'So', 'turn 9'))),
      ],
    ])('reads them %s', async (_name, times, announce) => {
      announce();
      await pass();
      expect(reads).toHaveLength(1);
      arrive();
      await pass();
      expect(reads).toHaveLength(times);
    });
  });

  test('has what else is shown of it read again after a lost connection, and not when it is opened', async () => {
    socket().say(join(null));
    await pass();
    expect(turnChanges).toBe(0);
    socket().end(1006);
    await pass(3_000);
    socket().say(join(null));
    await pass();
    expect(turnChanges).toBe(1);
  });

  test('shows what is written, once a picture', async () => {
    socket().say(join(), chunk(0, 'The '), chunk(4, 'report'));
    expect(live('turn 1')).toBeUndefined();
    await pass();
    expect(live('turn 1')?.text).toBe('The report');
  });

  test('tells apart what is done from what is written: only steps, turns and messages concern the whole page', async () => {
    socket().say(join(), chunk(0, 'The '));
    await pass();
    const { work, turns, live: before } = connection.view;
    expect(work).toMatchObject([{ turnId: 'turn 1', isWriting: true }]);
    socket().say(chunk(4, 'report'));
    await pass();
    expect(connection.view.live).not.toBe(before);
    expect([connection.view.work, connection.view.turns]).toEqual([work, turns]);
    expect(connection.view.work).toBe(work);
    expect(connection.view.turns).toBe(turns);
    socket().say(stepBegin);
    await pass();
    expect(connection.view.work).toMatchObject([{ steps: [{ id: 'a' }], isWriting: false }]);
  });

  test('shows the stored answer in place of the live text, and never both or none', async () => {
    socket().say(join(), chunk(0, 'The report'));
    await pass();
    socket().say(end('The report'));
    expect([live('turn 1'), textOf('turn 1')]).toEqual([undefined, 'The report']);
    expect(answerOf('turn 1')).toMatchObject({ id: 'message 3', provider_used: 'Team', agent_name: 'Scout' });
    expect(shown.slice(shown.indexOf('The report'))).not.toContain('');
    expect(connection.view.correctedIds.size).toBe(0);
  });

  test('takes what is stored for true where something else was shown, and says so', async () => {
    socket().say(join(), chunk(0, 'The raport'));
    await pass();
    socket().say(end('The report'));
    expect([textOf('turn 1'), [...connection.view.correctedIds]]).toEqual(['The report', ['message 3']]);
  });

  test('neither blanks nor doubles the text when its connection is lost in mid answer', async () => {
    socket().say(chunk(0, 'The '), join(), chunk(4, 'rep'));
    await pass();
    socket().end(1006);
    await pass(2_001);
    expect([connection.view.link, textOf('turn 1')]).toEqual(['connecting', 'The rep']);
    socket().say(chunk(0, 'The report'), join(), chunk(10, ' says'));
    await pass();
    expect(textOf('turn 1')).toBe('The report says');
    expect(shown.slice(shown.indexOf('The rep')).filter((text) => !text.startsWith('The rep'))).toEqual([]);
  });

  test('has the answer of a turn that ended while the connection was lost', async () => {
    socket().say(join(), chunk(0, 'The '));
    await pass();
    socket().end(1006);
    stored.push(messageAt(3, { content: 'The report', turn_id: 'turn 1' }));
    await pass(2_001);
    socket().say(join(null));
    await pass();
    expect([live('turn 1'), textOf('turn 1')]).toEqual([undefined, 'The report']);
  });

  test('reads again until it can, when what was stored cannot be read', async () => {
    socket().say(join(), chunk(0, 'The '));
    await pass();
    socket().end(1006);
    stored.push(messageAt(3, { content: 'The report', turn_id: 'turn 1' }));
    fault = new Problem(0, 'no network');
    await pass(2_001);
    socket().say(join(null));
    await pass(5_000);
    expect(textOf('turn 1')).toBe('The ');
    fault = undefined;
    await pass(3_000);
    expect(textOf('turn 1')).toBe('The report');
  });

  test.each([401, 403, 404])('does not read again what was refused with %d, until it joins anew', async (status) => {
    fault = new Problem(status, 'no');
    connection.refresh();
    await pass(60_000);
    expect(reads).toHaveLength(2);
    fault = undefined;
    socket().say(join(null));
    await pass();
    expect(reads).toHaveLength(3);
  });

  test('reads again when the server has asked to, and no more once the chat is gone', async () => {
    fault = new Problem(429, 'Too many', { retryAfterSeconds: 20 });
    connection.refresh();
    await pass(19_000);
    expect(reads).toHaveLength(2);
    await pass(1_000);
    expect(reads).toHaveLength(3);
    socket().end(4404);
    await pass(60_000);
    expect([connection.view.link, reads.length]).toEqual(['gone', 3]);
  });

  test('shows no turn on that neither runs nor is stored when it joins anew', async () => {
    socket().say(chunk(0, 'So', 'turn 9'), join('turn 9'), chunk(0, 'The ', 'turn 1'));
    await pass();
    expect(connection.view.live.map(({ turnId }) => turnId)).toEqual(['turn 9', 'turn 1']);
    socket().end(1006);
    await pass(2_001);
    socket().say(join(null), chunk(0, 'New', 'turn 10'));
    await pass();
    expect(connection.view.live.map(({ turnId }) => turnId)).toEqual(['turn 1', 'turn 10']);
  });

  test('keeps the text of a failed turn until its stored answer is read', async () => {
    socket().say(join(), chunk(0, 'The '));
    await pass();
    stored.push(messageAt(3, { content: 'The ', turn_id: 'turn 1', metadata_: { status: 'failed', error: 'No key' } }));
    socket().say({ type: 'error', message: 'No key', turn_id: 'turn 1', request: null, client_message_id: null });
    expect(textOf('turn 1')).toBe('The ');
    await pass();
    expect(answerOf('turn 1')?.metadata_).toMatchObject({ status: 'failed' });
    expect(live('turn 1')).toBeUndefined();
  });

  test('is not shown the turn again that has ended, by frames that come late', async () => {
    socket().say(join(), chunk(0, 'The report'), end('The report'), chunk(0, 'The report'), stepBegin);
    await pass();
    expect(connection.view.live).toEqual([]);
  });

  test('opens another socket when a part of the text is missing', async () => {
    socket().say(join(), chunk(0, 'The '), chunk(9, 'says'));
    await pass(600);
    expect(sockets).toHaveLength(2);
    socket().say(chunk(0, 'The reports says'), join());
    await pass();
    expect(textOf('turn 1')).toBe('The reports says');
  });

  test('reads the question of a turn that somebody else began', async () => {
    socket().say(join(null));
    await pass();
    stored.push(messageAt(3), messageAt(4, { turn_id: 'turn 9' }));
    socket().say(chunk(0, 'So', 'turn 9'));
    await pass();
    expect(connection.view.messages.at(-1)).toMatchObject({ turn_id: 'turn 9', role: 'user' });
    expect(live('turn 9')?.text).toBe('So');
  });

  test('shows the next turn beside one whose end was missed, until that is read', async () => {
    socket().say(join(), chunk(0, 'The '));
    await pass();
    fault = new Problem(0, 'no network');
    socket().say(chunk(0, 'So', 'turn 2'));
    await pass();
    expect([textOf('turn 1'), textOf('turn 2')]).toEqual(['The ', 'So']);
    fault = undefined;
    stored.push(messageAt(3, { content: 'The report', turn_id: 'turn 1' }), messageAt(4, { turn_id: 'turn 2' }));
    await pass(4_000);
    expect([textOf('turn 1'), textOf('turn 2')]).toEqual(['The report', 'So']);
  });

  test('knows the steps so far when it joins later, without a time, and those that follow with theirs', async () => {
    const done: StepFrame = {
      type: 'sub_agent_step_done',
      turn_id: 'turn 1',
      task_id: 'turn 1',
      step_id: 'a',
      status: 'success',
    };
    socket().say(stepBegin, join('turn 1', [stepBegin, done]), { ...stepBegin, step_id: 'b' });
    await pass();
    expect(live('turn 1')?.steps).toMatchObject([
      { id: 'a', status: 'success', startedAt: undefined },
      { id: 'b', status: 'running', startedAt: expect.any(Number) },
    ]);
  });

  test('takes the wait before a step of a workflow for no turn', async () => {
    const wait = { approval_id: 'x', task_id: 'run', chat_id: 'chat', agent_name: 'Scout' };
    const step = { step_id: 'x', step_name: 'step', step_label: 'Step', expires_at: messageAt(0).created_at };
    socket().say({ type: 'approval_requested', turn_id: 'run', ...wait, ...step }, join(null));
    await pass();
    expect(connection.view.live).toEqual([]);
  });

  test('ignores frames that are newer than this page', async () => {
    socket().say({ type: 'later', turn_id: 'turn 9' }, join(null));
    await pass();
    expect(connection.view).toMatchObject({ link: 'open', live: [] });
  });
});

describe('the older messages of a chat', () => {
  test('are read a page at a time, each once', async () => {
    connection.close();
    stored = Array.from({ length: 250 }, (_, index) => messageAt(index));
    const other = new ChatConnection({
      chatId: 'chat',
      openSocket: (token) => new ScriptedSocket(token),
      takeToken: async () => ({ value: 'token', expiresAt: Date.now() + 3_600_000 }),
      readMessages: async ({ limit, before }) => {
        const last = before === undefined ? stored.length : stored.findIndex(({ id }) => id === before);
        const messages = stored.slice(Math.max(0, last - limit), last);
        return { messages, olderCount: last - messages.length };
      },
      schedule: (flush) => flush(),
    });
    await pass(0);
    expect([other.view.messages.length, other.view.olderCount]).toEqual([100, 150]);
    await Promise.all([other.loadOlder(), other.loadOlder()]);
    expect([other.view.messages.length, other.view.olderCount]).toEqual([200, 50]);
    await other.loadOlder();
    await other.loadOlder();
    expect([other.view.messages, other.view.olderCount]).toEqual([stored, 0]);
    other.close();
  });
});
