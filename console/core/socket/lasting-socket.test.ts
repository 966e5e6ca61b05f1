import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { LastingSocket, type LinkState, SessionEnded } from './lasting-socket.ts';
import { ScriptedSocket } from '../../../test/support/console/scripted-socket.ts';

const JOINED = { type: 'joined', turn_id: null, steps: [] };
const HOUR_MS = 3_600_000;

let sockets: ScriptedSocket[];
let states: LinkState[];
let frames: string[];
let epochs: number;
let slow: boolean[];
let said: boolean[];
let worn: (string | undefined)[];
let tokens: () => Promise<string>;
let lasting: LastingSocket<{ type: string }>;

beforeEach(async () => {
  jest.useFakeTimers();
  [sockets, states, frames, worn, epochs] = [[], [], [], [], 0];
  [slow, said] = [[], []];
  let count = 0;
  tokens = async () => `token ${(count += 1)}`;
  lasting = new LastingSocket({
    open: (token, isSlow) => {
      const socket = new ScriptedSocket(token);
      slow.push(isSlow);
      sockets.push(socket);
      return socket;
    },
    takeToken: async (token) => {
      worn.push(token);
      return { value: await tokens(), expiresAt: Date.now() + HOUR_MS };
    },
    onEpoch: () => (epochs += 1),
    onFrame: ({ type }) => frames.push(type),
    onState: (state) => states.push(state),
    onSlow: (isSlow) => said.push(isSlow),
  });
  await pass(0);
});
afterEach(() => {
  lasting.close();
  jest.useRealTimers();
});

const pass = async (ms: number) => jest.advanceTimersByTimeAsync(ms);
function socket(index: number): ScriptedSocket {
  const found = sockets.at(index);
  if (found === undefined) throw new Error('no such socket was opened');
  return found;
}

describe('a lasting socket', () => {
  test('is open with the first frame, because a rejected handshake of a browser opens as well', () => {
    expect([lasting.state, epochs]).toEqual(['connecting', 0]);
    socket(0).say(JOINED);
    expect([lasting.state, epochs, frames]).toEqual(['open', 1, ['joined']]);
  });

  test('opens anew when it is lost, later each time, at most every 30 seconds', async () => {
    for (const [attempt, least] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
      socket(-1).end(1006);
      await pass(least - 1);
      expect(sockets).toHaveLength(attempt + 1);
      await pass(1_001);
      expect(sockets).toHaveLength(attempt + 2);
    }
    socket(-1).say(JOINED);
    socket(-1).end(1006);
    await pass(2_001);
    expect(sockets).toHaveLength(9);
    expect(states.slice(-3)).toEqual(['open', 'waiting', 'connecting']);
  });

  test('opens at once when it is woken while it waits', async () => {
    for (const _ of Array(6)) {
      socket(-1).end(1006);
      lasting.wake();
      await pass(0);
    }
    expect(sockets).toHaveLength(7);
  });

  test.each([
    [1012, 1_000],
    [1013, 5_000],
  ])('opens anew after a close with %d within %d ms', async (code, ms) => {
    socket(0).say(JOINED);
    socket(0).end(code);
    await pass(ms);
    expect(sockets).toHaveLength(2);
  });

  test('takes another token when one is rejected, and has ended when that is rejected as well', async () => {
    socket(0).end(4401);
    await pass(0);
    expect([socket(1).token, worn]).toEqual(['token 2', [undefined, 'token 1']]);
    socket(1).end(4401);
    await pass(HOUR_MS);
    expect([lasting.state, sockets.length]).toEqual(['signed out', 2]);
  });

  test('may have its token rejected again after another was let in', async () => {
    for (const _ of Array(3)) {
      socket(-1).say(JOINED);
      socket(-1).end(4401);
      await pass(0);
    }
    expect([lasting.state, sockets.length]).toEqual(['connecting', 4]);
  });

  test('has ended when there is no session, and goes on when a token could not be read', async () => {
    tokens = async () => Promise.reject(new TypeError('no network'));
    socket(0).end(1006);
    await pass(2_001);
    expect(lasting.state).toBe('waiting');
    tokens = async () => Promise.reject(new SessionEnded());
    await pass(HOUR_MS);
    expect([lasting.state, sockets.length]).toEqual(['signed out', 1]);
  });

  test('is woken when somebody has signed in again, and not once it is closed', async () => {
    const take = tokens;
    tokens = async () => Promise.reject(new SessionEnded());
    socket(0).end(1006);
    await pass(2_001);
    expect(lasting.state).toBe('signed out');
    tokens = take;
    lasting.wake();
    await pass(0);
    socket(1).say(JOINED);
    expect(states.slice(-3)).toEqual(['signed out', 'connecting', 'open']);
    lasting.close();
    lasting.wake();
    await pass(HOUR_MS);
    expect(sockets).toHaveLength(2);
  });

  test('has ended when the chat is gone', async () => {
    socket(0).say(JOINED);
    socket(0).end(4404);
    lasting.wake();
    await pass(HOUR_MS);
    expect([lasting.state, sockets.length]).toEqual(['gone', 1]);
  });

  test('opens another before its token expires, and hears the old one until the new one speaks', async () => {
    socket(0).say(JOINED);
    await pass(HOUR_MS - 120_000);
    expect([sockets.length, worn.at(-1)]).toEqual([2, 'token 1']);
    expect([lasting.state, epochs, socket(0).isClosed]).toEqual(['open', 1, false]);
    socket(1).say(JOINED);
    expect([lasting.state, epochs, socket(0).isClosed]).toEqual(['open', 2, true]);
    socket(0).say(JOINED);
    expect(frames).toEqual(['joined', 'joined']);
    expect(states).toEqual(['open']);
  });

  test('keeps the socket that is heard when the next one cannot be opened, and tries again', async () => {
    socket(0).say(JOINED);
    await pass(HOUR_MS - 120_000);
    socket(1).end(1006);
    expect([socket(0).isClosed, lasting.state]).toEqual([false, 'open']);
    await pass(2_001);
    expect([sockets.length, socket(0).isClosed]).toEqual([3, false]);
    await pass(15_000);
    expect([socket(0).isClosed, socket(2).isClosed]).toEqual([false, true]);
    await pass(4_001);
    socket(3).say(JOINED);
    expect([socket(0).isClosed, states, epochs]).toEqual([true, ['open'], 2]);
  });

  test('asks for another token only when one expires or is rejected', async () => {
    socket(0).say(JOINED);
    socket(0).end(1006);
    await pass(2_001);
    socket(1).say(JOINED);
    expect(worn).toEqual([undefined, undefined]);
    const take = tokens;
    tokens = async () => Promise.reject(new TypeError('no network'));
    await pass(HOUR_MS - 120_000);
    tokens = take;
    await pass(2_001);
    expect([worn.slice(2), socket(2).token]).toEqual([['token 2', 'token 2'], 'token 3']);
  });

  test('is lost when nothing answers a ping', async () => {
    socket(0).say(JOINED);
    await pass(25_000);
    expect(socket(0).sent).toEqual(['{"type":"ping"}']);
    await pass(5_000);
    expect(sockets).toHaveLength(1);
    socket(0).answersPings = false;
    lasting.wake();
    await pass(5_001);
    expect([sockets.length, socket(0).isClosed]).toEqual([2, true]);
  });

  test('is lost when nothing answers its opening', async () => {
    await pass(15_000 + 2_000);
    expect([sockets.length, socket(0).isClosed]).toEqual([2, true]);
  });

  test('opens nothing once it is closed', async () => {
    socket(0).end(1006);
    lasting.close();
    await pass(HOUR_MS);
    expect(sockets).toHaveLength(1);
  });
});

describe('a network that lets no WebSocket through', () => {
  /** Ends three sockets before any of them was let in. */
  async function refuse(): Promise<void> {
    for (const index of [0, 1, 2]) {
      socket(index).end(1006);
      await pass(5_000);
    }
  }

  test('is told after three of them, and tried again every minute', async () => {
    await refuse();
    expect([slow, said]).toEqual([[false, false, false, true], []]);
    socket(3).say(JOINED);
    expect([said, states.at(-1)]).toEqual([[true], 'open']);
    await pass(60_000);
    expect(slow.at(-1)).toBe(false);
    socket(4).end(1006);
    expect([socket(3).isClosed, states.at(-1)]).toEqual([false, 'open']);
    await pass(60_000);
    socket(5).say(JOINED);
    expect([slow.at(-1), said, socket(3).isClosed]).toEqual([false, [true, false], true]);
  });

  test('is not what a server is that is away altogether', async () => {
    await refuse();
    socket(3).end(1006);
    await pass(9_000);
    expect(slow).toEqual([false, false, false, true, false]);
  });

  test('is not what it is once one was let in', async () => {
    socket(0).say(JOINED);
    for (const index of [0, 1, 2, 3]) {
      socket(index).end(1006);
      await pass(5_000);
    }
    expect(slow).not.toContain(true);
  });
});
