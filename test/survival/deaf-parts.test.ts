import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startNodePart } from '../../scripts/stack/parts/start-node-part.ts';
import { supervise } from '../../scripts/stack/parts/supervise.ts';
import { freePort } from '../support/free-port.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { TestStack } from '../support/test-stack.ts';
import { openSocket, startConversation, waitUntilAnswered } from '../support/test-stack-conversation.ts';
import { waitUntil } from '../support/wait-until.ts';

/** From the moment at which a part stops answering to the one at which it is ended. */
const FOUND_LIMIT_MS = 15_000;

describe('a part of the platform that stands still', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  }, 120_000);
  afterAll(async () => stack.close(), 90_000);

  test.each(['api', 'worker'] as const)(
    'is ended within 15 seconds and replaced, and that is said: %s',
    async (part) => {
      const former = stack.pid(part);
      const frozenAt = performance.now();
      stack.freeze(part);
      const replaced = stack.replaced(part);
      await waitUntil(`${part} to be ended`, () => (stack.pid(part) === former ? undefined : true));
      const foundAfter = performance.now() - frozenAt;
      process.stdout.write(`${part} SIGSTOP: found after ${(foundAfter / 1_000).toFixed(1)} s\n`);
      expect(foundAfter).toBeLessThan(FOUND_LIMIT_MS);
      await replaced;
      for (const text of [stack.output, stack.log(part)]) {
        expect(text).toContain(`${part} left three questions in a row unanswered, 3 s each; ending it.`);
        expect(text).toContain(`${part} stopped (signal SIGKILL); starting it again`);
      }
      const conversation = await startConversation(stack);
      const socket = await openSocket(conversation);
      socket.send({ type: 'message', content: 'is anybody there?', client_message_id: 'after' });
      await waitUntilAnswered(conversation, 'after');
      socket.close();
    },
    90_000,
  );
});

test('an api that takes no more connections is ended within 15 seconds, though its event loop lives', async () => {
  const database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'everturn-deaf-'));
  const port = await freePort();
  const lines: string[] = [];
  const part = supervise({
    name: 'the api',
    say: (line) => lines.push(line),
    start: async (signal) =>
      startNodePart({
        entry: 'api/main.ts',
        heapMegabytes: 128,
        nurseryMegabytes: 4,
        env: {
          PATH: process.env['PATH'],
          NODE_OPTIONS: `--import=${import.meta.resolve('../support/stop-listening.mjs')}`,
          LOG_LEVEL: 'fatal',
          PORT: String(port),
          DATABASE_URL: database.url,
          TEMPORAL_ADDRESS: '127.0.0.1:1',
          SECRET_KEY: TEST_SECRET_KEY,
        },
        log: () => undefined,
        recordFile: join(folder, 'part.pid'),
        ready: { url: `http://127.0.0.1:${port}/healthz` },
        healthy: 'message',
        signal,
      }),
  });
  const { pid, answers } = await part.up;
  expect(await answers?.()).toBe(true);
  const deafAt = performance.now();
  process.kill(pid, 'SIGUSR2');
  const ended = () => lines.some((line) => line.includes('stopped (signal SIGKILL)')) || undefined;
  await waitUntil('the api to be ended', ended);
  const foundAfter = performance.now() - deafAt;
  process.stdout.write(`api without a listener: found after ${(foundAfter / 1_000).toFixed(1)} s\n`);
  expect(foundAfter).toBeLessThan(FOUND_LIMIT_MS);
  await waitUntil('the api to be up again', () => lines.includes('the api is up again.') || undefined);
  await part.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
}, 90_000);

describe('a part whose event loop is blocked', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'everturn-blocked-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Supervises a part that blocks its event loop one second after each start, and notes what is said and when. */
  function superviseBlocked(env: NodeJS.ProcessEnv, limits: { answerLimitMs?: number; askEveryMs?: number } = {}) {
    const lines: { readonly text: string; readonly at: number }[] = [];
    const note = (text: string) => lines.push({ text, at: performance.now() });
    const outcomes: ('asked' | 'answered')[] = [];
    const part = supervise({
      ...limits,
      name: 'the part',
      say: note,
      start: async (signal) => {
        const started = await startNodePart({
          entry: 'test/support/blocked-part.mjs',
          heapMegabytes: 64,
          nurseryMegabytes: 4,
          env: { PATH: process.env['PATH'], ...env },
          log: note,
          recordFile: join(folder, 'part.pid'),
          ready: 'message',
          healthy: 'message',
          signal,
        });
        return {
          ...started,
          answers: async () => {
            outcomes.push('asked');
            const hasAnswered = (await started.answers?.()) === true;
            if (hasAnswered) outcomes.push('answered');
            return hasAnswered;
          },
        };
      },
    });
    const find = async (words: string, limitMs: number) =>
      waitUntil(words, () => lines.find(({ text }) => text.includes(words)), limitMs);
    return { part, lines, outcomes, find };
  }

  test('is ended within 15 seconds and replaced', async () => {
    const { part, find } = superviseBlocked({});
    await part.up;
    const blocked = await find('blocked', 10_000);
    const ended = await find('stopped (signal SIGKILL)', 20_000);
    process.stdout.write(`blocked event loop: found after ${((ended.at - blocked.at) / 1_000).toFixed(1)} s\n`);
    expect(ended.at - blocked.at).toBeLessThan(FOUND_LIMIT_MS);
    await find('the part is up again.', 10_000);
    part.kill();
    await part.stop();
  }, 60_000);

  test('is left alone when it leaves one question unanswered and goes on', async () => {
    const limits = { answerLimitMs: 1_000, askEveryMs: 50 };
    const { part, lines, outcomes, find } = superviseBlocked({ BLOCKED_MS: '0' }, limits);
    const { pid } = await part.up;
    await find('blocked', 10_000);
    process.kill(pid, 'SIGSTOP');
    const isMissed = () => outcomes.at(-1) === 'asked' && outcomes.at(-2) === 'asked';
    await waitUntil('a question to be left unanswered', () => isMissed() || undefined);
    process.kill(pid, 'SIGCONT');
    const from = outcomes.length;
    const answered = () => outcomes.slice(from).filter((each) => each === 'answered').length;
    // As many questions as would have ended it, and one more.
    await waitUntil('further questions to be answered', () => answered() >= 4 || undefined);
    expect(lines.map(({ text }) => text)).toEqual(['blocked\n']);
    await part.stop();
  }, 60_000);
});
