import type { Client } from '@temporalio/client';
import { type DueRun, type DueWork, NEW_MESSAGES } from '../../domain/core/due-work.ts';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import { AGENT_WORKFLOW_RUN, agentWorkflowRunId } from '../agent-workflows/contract.ts';
import { signalWorkflow, startDetached, terminateWorkflows, wakeWorkflow, type WorkflowStart } from '../core/client.ts';
import { applySchedule, type ScheduleRows } from '../schedules/client.ts';
import { temporalScheduleId } from '../schedules/contract.ts';
import { TASK, type TaskInput, taskWorkflowId } from '../tasks/contract.ts';
import { wakeChat } from '../turns/client.ts';
import { conversationId, subAgentId } from '../turns/contract.ts';
import { WORKFLOWS_OF_WORK } from './contract.ts';

/** What has due work done. */
export interface DueWorkDeps {
  readonly client: Client;
  readonly schedules: ScheduleRows;
}

/**
 * Has the workflow of some work read its rows: starts it, or signals the one that is open; that of a run that comes
 * without its summary is signalled only. Makes the Temporal Schedule of a schedule. Harmless to repeat. Throws when
 * Temporal does not respond within five seconds.
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

/** Returns the workflow that does some work, by its type and its start. */
function workflowOf(work: Exclude<DueWork, { readonly kind: 'schedule' | 'chat' }>): readonly [string, WorkflowStart] {
  if (work.kind === 'run') return [AGENT_WORKFLOW_RUN, runStart(work)];
  if (work.kind === 'task') return [TASK, taskStart(work)];
  const { kind, ...input } = work;
  const { type, idOf } = WORKFLOWS_OF_WORK[kind];
  return [type, { id: idOf(input as never), input, ...('orgId' in input && { fairnessKey: input.orgId }) }];
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

/** What the log says of work that could not be done at once. */
export const DUE_WORK_FAILED = 'the workflow of due work could not be started or signalled; the recovery scan retries';

interface QueueDeps extends DueWorkDeps {
  readonly payerOf: (orgId: string) => Payer;
  /** Takes the error of work that could not be done, which the recovery scan does later. */
  readonly onFailure: (error: unknown, work: DueWork) => void;
}

/**
 * Wakes the workflows of due work, and makes Temporal Schedules, in the background: whoever stores work waits for
 * Temporal neither to answer nor to fail. The owners of organizations take turns. What does not fit, or is lost with
 * the process, is left to the recovery scan.
 */
export class DueWorkQueue {
  readonly #deps: QueueDeps;
  /**
   * By owner, in the order in which they are next, and there by its id in Temporal: work that becomes due again before
   * it is done is done once.
   */
  readonly #lines = new Map<string, Map<string, DueWork>>();
  #waiting = 0;
  #active = 0;
  #messagesTimer: NodeJS.Timeout | undefined;
  /** Called when nothing is left to do, once the process stops. */
  #onIdle: (() => void) | undefined;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** Has the work done soon. Never throws. */
  add(work: DueWork): void {
    if (work.kind !== 'messages') return this.#queue(work);
    this.#messagesTimer ??= setTimeout(() => this.#queueMessages(), MESSAGES_AFTER_MS).unref();
  }

  /** Does what waits at once, and returns when it is done, Temporal does not respond, or five seconds are over. */
  async drain(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    if (this.#messagesTimer !== undefined) this.#queueMessages();
    const timer = setTimeout(resolve, DRAIN_MS);
    if (this.#active > 0) await promise;
    clearTimeout(timer);
    this.#clear();
  }

  #queueMessages(): void {
    clearTimeout(this.#messagesTimer);
    this.#messagesTimer = undefined;
    this.#queue(NEW_MESSAGES);
  }

  #queue(work: DueWork): void {
    const owner = 'orgId' in work ? this.#deps.payerOf(work.orgId).ownerId : '';
    const line = this.#lines.get(owner) ?? new Map<string, DueWork>();
    const id = idOf(work);
    const same = line.get(id);
    // One that starts the workflow of a run does so although one that signals it waits already.
    if (same !== undefined) return void line.set(id, { ...same, ...work });
    if (this.#waiting >= MAX_WAITING || line.size >= MAX_WAITING_OF_ONE)
      return this.#deps.onFailure(new Error('too much due work is waiting'), work);
    this.#lines.set(owner, line.set(id, work));
    this.#waiting += 1;
    if (this.#active < AT_ONCE) void this.#doWaiting();
  }

  async #doWaiting(): Promise<void> {
    this.#active += 1;
    for (let work = this.#takeNext(); work !== undefined; work = this.#takeNext()) {
      try {
        await wakeDueWork(this.#deps, work);
      } catch (error) {
        this.#deps.onFailure(error, work);
        if (this.#onIdle !== undefined) this.#clear();
      }
    }
    this.#active -= 1;
    if (this.#active === 0) this.#onIdle?.();
  }

  // The owner's next work comes after that of the others.
  #takeNext(): DueWork | undefined {
    for (const [owner, line] of this.#lines) {
      this.#lines.delete(owner);
      for (const [id, work] of line) {
        line.delete(id);
        this.#waiting -= 1;
        if (line.size > 0) this.#lines.set(owner, line);
        return work;
      }
    }
    return undefined;
  }

  #clear(): void {
    this.#lines.clear();
    this.#waiting = 0;
  }
}

function idOf(work: DueWork): string {
  if (work.kind === 'schedule') return temporalScheduleId(work);
  if (work.kind === 'chat') return (work.isSubAgent ? subAgentId : conversationId)(work);
  return workflowOf(work)[1].id;
}

/** Returns the workflow that takes a run from its first step to its end. */
function runStart({ orgId, runId, summary }: Omit<DueRun, 'kind'>): WorkflowStart {
  const input = { orgId, runId };
  return { id: agentWorkflowRunId(input), input, fairnessKey: orgId, ...(summary !== undefined && { summary }) };
}

/** Terminates the workflows of runs. Throws when Temporal does not respond within five seconds. */
export async function endRuns(client: Client, orgId: string, runIds: readonly string[]): Promise<void> {
  await terminateWorkflows(
    client,
    runIds.map((runId) => agentWorkflowRunId({ orgId, runId })),
    'its organization was deleted',
  );
}

/** Returns the workflow that has the agent of a task begin, and follows its attempt. */
function taskStart({ orgId, taskId }: TaskInput): WorkflowStart {
  const input = { orgId, taskId };
  return { id: taskWorkflowId(input), input, fairnessKey: orgId };
}
