import type { Client } from '@temporalio/client';
import { type DueWork, NEW_MESSAGES } from '../../domain/core/due-work.ts';
import { KeyedSemaphore, type Payer } from '../../domain/core/keyed-semaphore.ts';
import { AGENT_WORKFLOW_RUN, agentWorkflowRunId } from '../agent-workflows/contract.ts';
import { signalWorkflow, startDetached, wakeWorkflow, type WorkflowStart } from '../core/client.ts';
import { applySchedule, type ScheduleRows } from '../schedules/client.ts';
import { temporalScheduleId } from '../schedules/contract.ts';
import { TASK, taskWorkflowId } from '../tasks/contract.ts';
import { wakeChat } from '../turns/client.ts';
import { conversationId, subAgentId } from '../turns/contract.ts';
import { WORKFLOWS_OF_WORK } from './contract.ts';

/** The dependencies of starting due work. */
export interface DueWorkDeps {
  readonly client: Client;
  readonly schedules: ScheduleRows;
}

/**
 * Applies a schedule to Temporal, or wakes the workflow of other work: starts it, or signals the open one. That of a
 * run that comes without its summary is signalled only. Harmless to repeat. Throws when Temporal does not respond
 * within five seconds.
 */
export async function wakeDueWork({ client, schedules }: DueWorkDeps, work: DueWork): Promise<void> {
  if (work.kind === 'schedule') await applySchedule(client, schedules, work);
  else if (work.kind === 'chat') await wakeChat(client, work);
  else if (work.kind === 'run' && work.summary === undefined) await signalWorkflow(client, agentWorkflowRunId(work));
  else await wakeWorkflow(client, ...workflowOf(work));
}

/**
 * Makes sure that the workflow of some work is open, without a signal to one that is. Harmless to repeat. Throws when
 * Temporal does not respond within five seconds.
 */
export async function startDueWork(deps: DueWorkDeps, work: DueWork): Promise<void> {
  if (work.kind === 'schedule' || work.kind === 'chat') await wakeDueWork(deps, work);
  else await startDetached(deps.client, ...workflowOf(work));
}

const WORKFLOWS = {
  ...WORKFLOWS_OF_WORK,
  run: { type: AGENT_WORKFLOW_RUN, idOf: agentWorkflowRunId },
  task: { type: TASK, idOf: taskWorkflowId },
} as const;

/** Returns the workflow that does some work, by its type and its start. */
function workflowOf(work: Exclude<DueWork, { readonly kind: 'schedule' | 'chat' }>): readonly [string, WorkflowStart] {
  const { kind, summary, ...input } = { summary: undefined, ...work };
  const { type, idOf } = WORKFLOWS[kind];
  const fairnessKey = 'orgId' in input ? input.orgId : undefined;
  return [type, { id: idOf(input as never), input, fairnessKey, summary }];
}

/** Work that waits, of all owners and of one: while Temporal is away, the rest is left to the recovery scan. */
const MAX_WAITING = 10_000;
const MAX_WAITING_OF_ONE = 1_000;
/** Work that is done at once. */
const AT_ONCE = 20;
/** Messages come by the hundred a second, and one workflow enters all: it is woken once in so many milliseconds. */
const MESSAGES_AFTER_MS = 2_000;
/** How long a process that stops waits for Temporal, in milliseconds. */
const DRAIN_MS = 5_000;

/** The log message for work that could not be started at once. */
export const DUE_WORK_FAILED = 'the workflow of due work could not be started or signalled; the recovery scan retries';

interface QueueDeps extends DueWorkDeps {
  readonly payerOf: (orgId: string) => Payer;
  /** Called with the error of work that could not be started, which the recovery scan does later. */
  readonly onFailure: (error: unknown, work: DueWork) => void;
}

interface Waiting {
  work: DueWork;
}

/**
 * Wakes the workflows of due work, and creates Temporal Schedules, in the background, so that storing work never waits
 * for Temporal. The owners of organizations take turns. What does not fit, or is lost with the process, is left to the
 * recovery scan.
 */
export class DueWorkQueue {
  readonly #deps: QueueDeps;
  readonly #slots = new KeyedSemaphore({
    perKey: AT_ONCE,
    total: AT_ONCE,
    maxWaiting: MAX_WAITING_OF_ONE,
    createError: tooMuchWaits,
  });
  /** By its id in Temporal: work that becomes due again before it is done is done once. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #doing = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #isDraining = false;
  #messagesTimer: NodeJS.Timeout | undefined;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** Queues the work. Never throws. */
  add(work: DueWork): void {
    if (work.kind !== 'messages') return this.#queue(work);
    this.#messagesTimer ??= setTimeout(() => this.#queueMessages(), MESSAGES_AFTER_MS).unref();
  }

  /** Does what waits at once, and returns when it is done, Temporal does not respond, or five seconds are over. */
  async drain(): Promise<void> {
    if (this.#messagesTimer !== undefined) this.#queueMessages();
    this.#isDraining = true;
    const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, DRAIN_MS);
    await Promise.race([timeIsUp, Promise.all(this.#doing)]);
    clearTimeout(timer);
    this.#stopping.abort();
  }

  #queueMessages(): void {
    clearTimeout(this.#messagesTimer);
    this.#messagesTimer = undefined;
    this.#queue(NEW_MESSAGES);
  }

  #queue(work: DueWork): void {
    const id = idOf(work);
    const same = this.#waiting.get(id);
    // One that starts the workflow of a run does so although one that signals it waits already.
    if (same !== undefined) return void (same.work = { ...same.work, ...work });
    if (this.#waiting.size >= MAX_WAITING) return this.#deps.onFailure(tooMuchWaits(), work);
    const waiting = { work };
    this.#waiting.set(id, waiting);
    const doing = this.#doInTurn(id, waiting).finally(() => this.#doing.delete(doing));
    this.#doing.add(doing);
  }

  async #doInTurn(id: string, waiting: Waiting): Promise<void> {
    const { signal } = this.#stopping;
    const payer = 'orgId' in waiting.work ? this.#deps.payerOf(waiting.work.orgId) : '';
    const wake = async () => {
      this.#waiting.delete(id);
      await wakeDueWork(this.#deps, waiting.work);
    };
    try {
      await this.#slots.run(payer, wake, { signal });
    } catch (error) {
      if (this.#waiting.get(id) === waiting) this.#waiting.delete(id);
      if (signal.aborted) return;
      this.#deps.onFailure(error, waiting.work);
      if (this.#isDraining) this.#stopping.abort();
    }
  }
}

function tooMuchWaits(): Error {
  return new Error('too much due work is waiting');
}

function idOf(work: DueWork): string {
  if (work.kind === 'schedule') return temporalScheduleId(work);
  if (work.kind === 'chat') return (work.isSubAgent ? subAgentId : conversationId)(work);
  return workflowOf(work)[1].id;
}
