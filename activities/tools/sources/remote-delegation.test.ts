import { expect, test } from '@jest/globals';
import type { TenantDatabase } from '../../../db/core/database.ts';
import type { RemoteAgent, RemoteAnswer, ToolContext } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import { delegateRemotely } from './remote-delegation.ts';

const working: RemoteAnswer = { taskId: 't', state: 'working', text: '' };
const done: RemoteAnswer = { taskId: 't', state: 'completed', text: 'bread' };
const away = new ToolFailure('upstream', 'Baker could not be asked');

/** An agent that answers the questions how far it is in this order, the last one again and again. */
class Scripted implements RemoteAgent {
  readonly calls: string[] = [];
  readonly #answers: (RemoteAnswer | Error)[];

  constructor(answers: readonly (RemoteAnswer | Error)[]) {
    this.#answers = [...answers];
  }

  async send(): Promise<RemoteAnswer> {
    this.calls.push('send');
    return working;
  }

  async poll(): Promise<RemoteAnswer> {
    this.calls.push('poll');
    const [next] = this.#answers.length > 1 ? this.#answers.splice(0, 1) : this.#answers;
    if (next === undefined || next instanceof Error) throw next ?? new Error('no answer is left');
    return next;
  }

  async cancel(): Promise<void> {
    this.calls.push('cancel');
  }
}

/** Delegates to an agent; `noted` is what an earlier attempt has noted of the task. */
async function delegate(agent: RemoteAgent, { noted = null as string | null, seconds = 60 } = {}) {
  let task = noted;
  const query = async (_orgId: string, { name, values }: { name: string; values: readonly string[] }) => {
    if (name === 'find-remote-task') return [{ task }];
    const isFirst = task === null;
    if (name === 'note-remote-task' || isFirst) task = values[1] ?? '';
    return isFirst ? [{}] : [];
  };
  const context = {
    idempotencyKey: 'call',
    signal: new AbortController().signal,
    findService: async () => ({ connection: 'c' }),
    openService: async () => ({}),
    connections: { openAgent: async () => agent },
  } as unknown as ToolContext;
  const deps = { database: { tenant: { query } } as unknown as TenantDatabase, subAgentTimeLimitSeconds: seconds };
  return delegateRemotely(deps, { orgId: 'o', agent: 'Baker', message: 'Bake.' }, context);
}

test('an agent that answers late is asked until it has answered', async () => {
  const agent = new Scripted([working, working, done]);
  expect(await delegate(agent)).toEqual({ value: 'bread', isForeign: true });
  expect(agent.calls).toEqual(['send', 'poll', 'poll', 'poll']);
});

test('questions that an agent does not answer are asked again, and its task is not sent again', async () => {
  const agent = new Scripted([away, away, done]);
  expect(await delegate(agent)).toMatchObject({ value: 'bread' });
  expect(agent.calls.filter((call) => call === 'send')).toHaveLength(1);
});

test('an error of the agent itself is asked past', async () => {
  const broken = new ToolFailure('upstream', 'Internal error', { isForeign: true, isUncertain: true });
  const agent = new Scripted([broken, broken, done]);
  expect(await delegate(agent)).toMatchObject({ value: 'bread' });
});

test.each([
  ['no longer knows its task', [new ToolFailure('upstream', 'Task not found', { isForeign: true })], 1],
  ['does not answer again and again', [away], 5],
])('an agent that %s may have done the work, and its task is cancelled', async (_how, answers, polls) => {
  const agent = new Scripted(answers);
  const error = answers[0];
  await expect(delegate(agent)).rejects.toMatchObject({ isUncertain: true, isForeign: error?.isForeign });
  expect(agent.calls).toEqual(['send', ...Array.from({ length: polls }, () => 'poll'), 'cancel']);
});

test('an agent that does not finish in time has its task cancelled', async () => {
  const agent = new Scripted([working]);
  await expect(delegate(agent, { seconds: 0.4 })).rejects.toMatchObject({ kind: 'timeout', isUncertain: true });
  expect(agent.calls.at(-1)).toBe('cancel');
});

test('another attempt continues the task that is known', async () => {
  const agent = new Scripted([done]);
  expect(await delegate(agent, { noted: 't' })).toMatchObject({ value: 'bread' });
  expect(agent.calls).toEqual(['poll']);
});

test.each([
  ['input-required', 'Which colour?', ['poll', 'cancel']],
  ['auth-required', 'Sign in.', ['poll', 'cancel']],
  ['failed', 'The oven is broken.', ['poll']],
  ['rejected', 'No.', ['poll']],
] as const)('work that is %s is a failure with the words of the agent', async (state, text, calls) => {
  const agent = new Scripted([{ taskId: 't', state, text }]);
  await expect(delegate(agent, { noted: 't' })).rejects.toMatchObject({
    message: expect.stringContaining(text),
    isForeign: true,
    isUncertain: false,
  });
  expect(agent.calls).toEqual(calls);
});
