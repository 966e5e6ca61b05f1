import {
  type ChildWorkflowHandle,
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  startChild,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { WAKE } from '../core/contract.ts';
import {
  type ConversationInput,
  type NextStep,
  type NextTurnInput,
  type NextTurnResult,
  SUB_AGENT,
  subAgentId,
  TASK_TIMEOUT,
  type TurnsInput,
} from './contract.ts';
import type { subAgent } from './conversation.ts';

const { runNextTurn, runTool } = proxyActivities<Activities>({
  // Longer than any reply and any tool may take (both have limits of their own): this one only ends a hung wait.
  startToCloseTimeout: '1 hour',
  // How long a killed worker goes unnoticed; another one then continues from the rows.
  heartbeatTimeout: '8 seconds',
  // Unlimited: failures here are those of the database or the worker, and the turn itself counts its attempts.
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

const { runShortTurn } = proxyLocalActivities<Activities>({
  // Longer than it waits for a turn: this one only ends a hung wait, which the ordinary activity then takes over.
  startToCloseTimeout: '6 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * Runs the steps of the chat's oldest open turn until it has ended; returns whether others wait. Each step is derived
 * from the rows, so the work can begin anywhere: after a crash, or after all histories were lost.
 */
export async function driveTurn(
  { orgId, chatId, triesShortTurns = false }: TurnsInput,
  wake: WakeFlag,
  betweenSteps: () => Promise<void>,
): Promise<boolean> {
  const ref = { orgId, chatId };
  // Only the first activity goes by a position: a wake for an earlier turn may come late, while this one waits for its
  // calls.
  let seq = wake.lower();
  for (;;) {
    const { hasMore, next } = await runTurn({ ...ref, ...(seq !== undefined && { seq }) }, triesShortTurns);
    if (next === undefined) return hasMore;
    await take(next, ref, wake);
    await betweenSteps();
    wake.lower();
    seq = undefined;
  }
}

// A local activity costs a fraction of an ordinary one, but occupies a task of the workflow.
async function runTurn(input: NextTurnInput, triesShortTurns: boolean): Promise<NextTurnResult> {
  const result = triesShortTurns ? await runShortTurn(input).catch(() => 'unfinished' as const) : 'unfinished';
  return result === 'unfinished' ? runNextTurn(input) : result;
}

async function take(next: NextStep, { orgId }: ConversationInput, wake: WakeFlag): Promise<void> {
  if (next.kind === 'wait') {
    // A wake that came while the activity ran counts too: it may stand for an interrupt that the activity did not see.
    await condition(() => wake.isRaised, Math.max(next.until - Date.now(), 1));
    return;
  }
  const subAgents = new SubAgents(
    orgId,
    next.calls.flatMap(({ subChatId }) => subChatId ?? []),
  );
  const tools = next.calls.filter(({ subChatId }) => subChatId === null);
  await Promise.all([
    subAgents.work(next.maxConcurrency),
    subAgents.passOn(wake),
    ...tools.map(({ id }) => runTool({ orgId, callId: id })),
  ]);
}

/** The sub-agents of one step. */
class SubAgents {
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

  async #run(ref: ConversationInput): Promise<void> {
    const child = await startChild<typeof subAgent>(SUB_AGENT, {
      workflowId: subAgentId(ref),
      workflowTaskTimeout: TASK_TIMEOUT,
      args: [{ ...ref, triesShortTurns: true }],
    });
    this.#running.add(child);
    try {
      await child.result();
    } finally {
      this.#running.delete(child);
    }
  }
}

/** Whether a wake has come since the flag was last lowered, and for which turn. */
export class WakeFlag {
  #isRaised = false;
  // Undefined when one of the wakes was for no turn in particular.
  #seq: number | undefined = 0;

  get isRaised(): boolean {
    return this.#isRaised;
  }

  /** Raises the flag; for a turn at that position of the chat, or for whatever may be open. */
  raise(seq: number | undefined): void {
    this.#isRaised = true;
    this.#seq = seq === undefined || this.#seq === undefined ? undefined : Math.max(seq, this.#seq);
  }

  /** Lowers the flag; returns the position of the last turn it was raised for, `undefined` when it may be any. */
  lower(): number | undefined {
    const seq = this.#isRaised ? this.#seq : undefined;
    this.#isRaised = false;
    this.#seq = 0;
    return seq;
  }
}

/** Raises the flag at each wake of this workflow. */
export function watchWakes(): WakeFlag {
  const flag = new WakeFlag();
  setHandler(defineSignal<[number | undefined]>(WAKE), (seq) => flag.raise(seq));
  return flag;
}
