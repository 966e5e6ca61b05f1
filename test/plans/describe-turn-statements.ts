import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { OpenChat } from '../integration/open-chat.ts';
import type { TestInstance } from '../support/test-instance.ts';
import type { StatementRecorder } from './statement-recorder.ts';

/** An installation whose statements are recorded. */
interface Recorded {
  readonly instance: TestInstance;
  readonly recorder: StatementRecorder;
}

let chat: OpenChat;

/** The statements of turns and calls, without those that tell viewers, whose number depends on the pace. */
const OF_TURNS = /^(?:claim-|store-|finish-|begin-call|close-call|list-turn-calls|turn-parts$)/;

/** Has a turn run, and returns how often the worker ran each statement of turns for it. */
async function statementsOf({ instance, recorder }: Recorded, content: string): Promise<Record<string, number>> {
  chat = await OpenChat.create(instance, { agent: { tools: ['time_now'] } });
  const from = recorder.runs.length;
  const stream = await chat.post({ content });
  await stream.waitForEnd();
  // What a worker does behind a turn that has ended would count too.
  // oxlint-disable-next-line everturn/no-asserted-time -- nothing tells that no more will follow
  await sleep(500);
  const runs = recorder.runs.slice(from).filter((name) => OF_TURNS.test(name));
  const byName = [...Map.groupBy(runs, (name) => name)];
  return Object.fromEntries(byName.map(([name, all]) => [name, all.length]));
}

// A trace is kept by these statements: none is added by what it records. docs/measurements.md has the sums.
const PLAIN = { 'claim-new-turn': 1, 'turn-parts': 1, 'finish-turn': 1 };

/** Describes how many statements turns take. */
export function describeTurnStatements(recorded: () => Recorded): void {
  afterEach(() => chat?.close());

  test('a plain turn takes three statements', async () => {
    expect(await statementsOf(recorded(), '[[say plain]]')).toEqual(PLAIN);
  });

  test('a turn takes no statement more when its trace has failed model calls to record', async () => {
    expect(await statementsOf(recorded(), '[[status 500]] [[times 1]] once more')).toEqual(PLAIN);
    const { json: turns } = await chat.user.client.get<{ id: string }[]>(`/api/chats/${chat.id}/turns`);
    const path = `/api/chats/${chat.id}/turns/${turns[0]?.id}`;
    const { json: trace } = await chat.user.client.get<{ steps: { kind: string; outcome?: string }[] }>(path);
    const outcomes = trace.steps.flatMap(({ kind, outcome }) => (kind === 'model_call' ? [outcome] : []));
    expect(outcomes).toEqual(['failed', 'replied']);
  });

  test('a turn with a call of a tool takes nine', async () => {
    expect(await statementsOf(recorded(), '[[call time_now {}]] [[then]] [[say done]]')).toEqual({
      'claim-new-turn': 1,
      'claim-turn': 1,
      'turn-parts': 2,
      'store-step': 1,
      'begin-call': 1,
      'close-call': 1,
      'list-turn-calls': 1,
      'finish-stepped-turn': 1,
    });
  });
}
