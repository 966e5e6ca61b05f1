import type { Client } from '@temporalio/client';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type DueWork, NEW_MESSAGES } from '../../domain/core/due-work.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import type { ScheduleRows } from '../schedules/client.ts';
import { DueWorkQueue } from './client.ts';

/** A Temporal server that answers when it is told to. */
class Engine {
  readonly asked: string[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly client = {
    withDeadline: async (_deadline: number, work: () => unknown) => work(),
    workflow: {
      signalWithStart: async (_type: string, { workflowId }: { workflowId: string }) => this.#take(workflowId),
      getHandle: (workflowId: string) => ({ signal: async () => this.#signal(workflowId) }),
    },
    schedule: { getHandle: (scheduleId: string) => ({ delete: async () => this.#take(scheduleId) }) },
  } as unknown as Client;
  isAway = false;
  answersAtOnce = false;

  async #signal(id: string): Promise<void> {
    await this.#take(`signal of ${id}`);
    throw Object.assign(new Error('it is not there'), { name: 'WorkflowNotFoundError' });
  }

  async #take(id: string): Promise<void> {
    if (this.isAway) throw new Error('Temporal is away');
    this.asked.push(id);
    if (this.answersAtOnce) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  answer(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** No schedule has a row any more. */
const schedules = { read: async () => undefined } as unknown as ScheduleRows;

/** More than is done at once. */
const MANY = 30;
const index = (indexId: string): DueWork => ({ kind: 'marketplace-index', indexId });
const changed = (orgId: string, runId: string): DueWork => ({ kind: 'run', orgId, runId });
const runOf = (orgId: string, runId: string): DueWork => ({ kind: 'run', orgId, runId, summary: 'Report (manual)' });

let engine: Engine;
let failed: DueWork[];
let queue: DueWorkQueue;
beforeEach(() => {
  engine = new Engine();
  failed = [];
  queue = new DueWorkQueue({
    client: engine.client,
    schedules,
    payerOf: (orgId) => ({ ownerId: orgId, orgId }),
    onFailure: (_error, work) => failed.push(work),
  });
});

async function until(what: string, isSo: () => boolean): Promise<void> {
  await waitUntil(what, async () => isSo() || undefined);
}

describe('work that has become due', () => {
  test('is done once for all that is noted before, and again for what comes later', async () => {
    for (let more = 0; more < MANY; more += 1) queue.add(index(`busy ${more}`));
    queue.add(index('a'));
    queue.add(index('a'));
    expect(engine.asked).not.toContain('marketplace-index/a');
    await until('the work to be done', () => {
      engine.answer();
      return engine.asked.includes('marketplace-index/a');
    });
    queue.add(index('a'));
    engine.answer();
    await until('it to be done again', () => engine.asked.filter((id) => id === 'marketplace-index/a').length === 2);
    engine.answer();
  });

  test('is done for runs by their workflows, and for schedules by their Temporal Schedules', async () => {
    queue.add(runOf('o', 'r'));
    queue.add({ kind: 'schedule', orgId: 'o', scheduleId: 's' });
    await until('both to be done', () => engine.asked.length === 2);
    expect(engine.asked.toSorted()).toEqual(['run/o/r', 'schedule/o/s']);
    engine.answer();
  });

  test('starts no workflow of a run that has only changed, and does although a signal waits', async () => {
    for (let more = 0; more < MANY; more += 1) queue.add(index(`busy ${more}`));
    queue.add(changed('o', 'r'));
    queue.add(changed('o', 's'));
    queue.add(runOf('o', 's'));
    queue.add(changed('o', 's'));
    await until('all to be done', () => {
      engine.answer();
      return engine.asked.length === MANY + 2;
    });
    expect(engine.asked.filter((id) => id.includes('run/'))).toEqual(['signal of run/o/r', 'run/o/s']);
    expect(failed).toEqual([]);
    engine.answer();
  });

  test('of one owner leaves room to that of others, and what does not fit is left to the recovery scan', async () => {
    for (let each = 0; each < 2_000; each += 1) queue.add(runOf('busy', `${each}`));
    queue.add(runOf('other', 'r'));
    await until('what does not fit to be left', () => failed.length > 900);
    expect(failed).not.toContainEqual(runOf('other', 'r'));
    await until('the other to be done', () => {
      engine.answer();
      return engine.asked.includes('run/other/r');
    });
    engine.answersAtOnce = true;
    engine.answer();
  });

  test('is done although other work could not be', async () => {
    engine.isAway = true;
    queue.add(index('a'));
    await until('the failure', () => failed.length === 1);
    engine.isAway = false;
    queue.add(index('b'));
    expect([failed, engine.asked]).toEqual([[index('a')], ['marketplace-index/b']]);
    engine.answer();
  });

  test('is done although another organization has much that waits', async () => {
    for (let more = 0; more < 4 * MANY; more += 1) queue.add(runOf('busy', String(more)));
    queue.add(runOf('other', 'r'));
    queue.add(runOf('other', 's'));
    engine.answer();
    await until('the others to be done', () => engine.asked.includes('run/other/s'));
    expect(engine.asked.length).toBeLessThan(2 * MANY);
  });

  test('is done once for many messages', async () => {
    for (let more = 0; more < 100; more += 1) queue.add(NEW_MESSAGES);
    await until('the messages to be entered', () => engine.asked.length > 0);
    expect(engine.asked).toEqual(['search-words']);
    engine.answer();
  });
});

describe('a process that stops', () => {
  test('does all work that waits before, messages at once', async () => {
    engine.answersAtOnce = true;
    for (let more = 0; more < 2 * MANY; more += 1) queue.add(runOf('o', String(more)));
    queue.add(NEW_MESSAGES);
    await queue.drain();
    expect(engine.asked).toHaveLength(2 * MANY + 1);
    expect(engine.asked).toContain('search-words');
  });

  test('leaves the rest to others when Temporal is away', async () => {
    for (let more = 0; more < 2 * MANY; more += 1) queue.add(runOf('o', String(more)));
    engine.isAway = true;
    engine.answer();
    await queue.drain();
    expect(failed.length).toBeGreaterThan(0);
    expect(engine.asked.length + failed.length).toBeLessThan(2 * MANY);
  });

  test('does not wait for ever for a Temporal that hangs', async () => {
    queue.add(index('a'));
    await queue.drain();
    expect(engine.asked).toEqual(['marketplace-index/a']);
    engine.answer();
  });
});
