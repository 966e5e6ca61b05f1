import type { Client } from '@temporalio/client';
import { describe, expect, test } from '@jest/globals';
import { type DueWork, NEW_MESSAGES } from '../../domain/core/due-work.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { DueWorkQueue } from './client.ts';

/** A Temporal server that answers when it is told to. */
class Engine {
  readonly woken: string[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly client = {
    withDeadline: async (_deadline: number, work: () => unknown) => work(),
    workflow: {
      signalWithStart: async (_type: string, { workflowId }: { workflowId: string }) => this.#take(workflowId),
    },
  } as unknown as Client;
  isAway = false;

  async #take(workflowId: string): Promise<void> {
    if (this.isAway) throw new Error('Temporal is away');
    this.woken.push(workflowId);
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  answer(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const index = (indexId: string): DueWork => ({ kind: 'marketplace-index', indexId });

async function until(what: string, isSo: () => boolean): Promise<void> {
  await waitUntil(what, async () => isSo() || undefined);
}

describe('work that has become due', () => {
  test('is woken once for all that is noted before its workflow is woken, and again for what comes later', async () => {
    const engine = new Engine();
    const queue = new DueWorkQueue(engine.client, () => undefined);
    for (let more = 0; more < 8; more += 1) queue.add(index(`busy ${more}`));
    queue.add(index('a'));
    queue.add(index('a'));
    expect(engine.woken).not.toContain('marketplace-index/a');
    engine.answer();
    await until('the work to be woken', () => engine.woken.includes('marketplace-index/a'));
    queue.add(index('a'));
    engine.answer();
    await until('it to be woken again', () => engine.woken.filter((id) => id === 'marketplace-index/a').length === 2);
    engine.answer();
  });

  test('is woken although the workflow of other work could not be', async () => {
    const engine = new Engine();
    const failed: DueWork[] = [];
    const queue = new DueWorkQueue(engine.client, (_error, work) => failed.push(work));
    engine.isAway = true;
    queue.add(index('a'));
    await until('the failure', () => failed.length === 1);
    engine.isAway = false;
    queue.add(index('b'));
    expect([failed, engine.woken]).toEqual([[index('a')], ['marketplace-index/b']]);
    engine.answer();
  });

  test('is woken once for many messages', async () => {
    const engine = new Engine();
    const queue = new DueWorkQueue(engine.client, () => undefined);
    for (let more = 0; more < 100; more += 1) queue.add(NEW_MESSAGES);
    await until('the messages to be entered', () => engine.woken.length > 0);
    expect(engine.woken).toEqual(['search-words']);
    engine.answer();
  });
});
