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

/** What is said of a part that does not answer, within the 15 seconds that docs/turn.md promises. */
const UNANSWERED = 'left three questions in a row unanswered, 3 s each; ending it.';

describe('a part of the platform that is suspended', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(async () => stack.close());

  test.each(['api', 'worker'] as const)(
    'is ended after three questions and replaced, and that is said: %s',
    async (part) => {
      stack.freeze(part);
      await stack.replaced(part);
      for (const text of [stack.output, stack.log(part)]) {
        expect(text).toContain(`${part} ${UNANSWERED}`);
        expect(text).toContain(`${part} stopped (signal SIGKILL); starting it again`);
      }
      const conversation = await startConversation(stack);
      const socket = await openSocket(conversation);
      socket.send({ type: 'message', content: 'is anybody there?', client_message_id: 'after' });
      await waitUntilAnswered(conversation, 'after');
      socket.close();
    },
  );
});

test('an api that takes no more connections is ended after three questions, though its event loop lives', async () => {
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
  process.kill(pid, 'SIGUSR2');
  await waitUntil('the api to be up again', () => lines.includes('the api is up again.') || undefined);
  expect(lines.join('\n')).toContain(`the api ${UNANSWERED}`);
  await part.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a part whose event loop is blocked', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'everturn-blocked-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Supervises a part that blocks its event loop one second after each start, and notes what is said. */
  function superviseBlocked(env: NodeJS.ProcessEnv, limits: { answerLimitMs?: number; askEveryMs?: number } = {}) {
    const lines: string[] = [];
    const note = (text: string) => lines.push(text);
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
    const find = async (words: string) => waitUntil(words, () => lines.find((line) => line.includes(words)));
    return { part, lines, outcomes, find };
  }

  test('is ended after three questions and replaced', async () => {
    const { part, find } = superviseBlocked({});
    await part.up;
    await find('blocked');
    await find(`the part ${UNANSWERED}`);
    await find('stopped (signal SIGKILL)');
    await find('the part is up again.');
    part.kill();
    await part.stop();
  });

  test('is left alone when it leaves one probe unanswered and resumes', async () => {
    const limits = { answerLimitMs: 1_000, askEveryMs: 50 };
    const { part, lines, outcomes, find } = superviseBlocked({ BLOCKED_MS: '0' }, limits);
    const { pid } = await part.up;
    await find('blocked');
    process.kill(pid, 'SIGSTOP');
    const isMissed = () => outcomes.at(-1) === 'asked' && outcomes.at(-2) === 'asked';
    await waitUntil('a question to be left unanswered', () => isMissed() || undefined);
    process.kill(pid, 'SIGCONT');
    const from = outcomes.length;
    const answered = () => outcomes.slice(from).filter((each) => each === 'answered').length;
    // As many questions as would have ended it, and one more.
    await waitUntil('further questions to be answered', () => answered() >= 4 || undefined);
    expect(lines).toEqual(['blocked\n']);
    await part.stop();
  });
});
