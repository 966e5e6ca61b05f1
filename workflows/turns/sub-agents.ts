import { type ChildWorkflowHandle, condition, sleep, startChild } from '@temporalio/workflow';
import { WAKE } from '../core/contract.ts';
import { type ConversationInput, SUB_AGENT, subAgentId, TASK_TIMEOUT } from './contract.ts';
import type { subAgent } from './sub-agent.ts';
import type { WakeFlag } from './wake-flag.ts';

/** The sub-agents of one step. */
export class SubAgents {
  readonly #orgId: string;
  readonly #waiting: string[];
  readonly #running = new Set<ChildWorkflowHandle<typeof subAgent>>();
  #isWorking = false;

  /** @param chatIds the chats that they work in, one each. */
  constructor(orgId: string, chatIds: readonly string[]) {
    this.#orgId = orgId;
    this.#waiting = [...chatIds];
  }

  /** Runs all of them, a limited number at a time. Their results are in the rows. */
  async work(maxConcurrency: number): Promise<void> {
    const lanes = Math.min(maxConcurrency, this.#waiting.length);
    this.#isWorking = true;
    await Promise.all(Array.from({ length: lanes }, () => this.#workInTurn()));
    this.#isWorking = false;
  }

  /** Passes every wake on to those that run, until all are done. One that has yet to begin reads its rows anyway. */
  async passOn(wake: WakeFlag): Promise<void> {
    while (this.#isWorking) {
      await condition(() => !this.#isWorking || wake.isRaised);
      if (!this.#isWorking) return;
      wake.lower();
      await Promise.allSettled([...this.#running].map((child) => child.signal(WAKE)));
    }
  }

  async #workInTurn(): Promise<void> {
    for (let chatId = this.#waiting.shift(); chatId !== undefined; chatId = this.#waiting.shift()) {
      try {
        await this.#run({ orgId: this.#orgId, chatId });
      } catch {
        // It was terminated from outside, or one of an earlier run is still ending. The next step of the parent finds
        // it again.
        await sleep('1 second');
      }
    }
  }

  async #run(place: ConversationInput): Promise<void> {
    const child = await startChild<typeof subAgent>(SUB_AGENT, {
      workflowId: subAgentId(place),
      workflowTaskTimeout: TASK_TIMEOUT,
      args: [{ ...place, triesShortTurns: true }],
    });
    this.#running.add(child);
    try {
      await child.result();
    } finally {
      this.#running.delete(child);
    }
  }
}
