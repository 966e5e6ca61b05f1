import type { Client, ConnectionOptions, WorkflowClientInterceptor, WorkflowOptions } from '@temporalio/client';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import { TASK_QUEUE, WAKE } from './contract.ts';

/** A workflow to start: its input, and the id under which it runs once at a time. */
export interface WorkflowStart {
  readonly id: string;
  readonly input: object;
  /** Whose share of the workers it takes: the id of its organization, where it has one. */
  readonly fairnessKey?: string | undefined;
  /** What people read of it in Temporal's UI, if this starts it. */
  readonly summary?: string | undefined;
}

interface DetachedWorkflow extends WorkflowStart {
  /** The longest life of the workflow, in milliseconds; without an end unless given. */
  readonly lifeMs?: number;
  /** How to treat the start while one of this id runs: it counts as done unless given. */
  readonly ifRunning?: 'USE_EXISTING' | 'FAIL';
}

/** The time that Temporal has to respond to whatever nobody waits for, in milliseconds. */
const DEADLINE_MS = 5_000;

const END_BATCH = 20;

/**
 * Options of connections that clients use. Calls are not retried: their callers do that, and a retrying call would
 * outlive the connection. grpc-js would read `http_proxy` and its like.
 */
export const CLIENT_CONNECTION = {
  interceptors: [],
  channelArgs: { 'grpc.enable_http_proxy': 0 },
} satisfies ConnectionOptions;

/** Makes calls to Temporal. Rejects when they take longer than five seconds together. */
export async function withinDeadline<T>(client: Client, calls: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + DEADLINE_MS, calls);
}

/** Makes sure that a workflow runs. Throws when the engine does not respond within five seconds. */
export async function startDetached(
  client: Client,
  type: string,
  { lifeMs, ifRunning = 'USE_EXISTING', ...start }: DetachedWorkflow,
): Promise<void> {
  await withinDeadline(client, () =>
    client.workflow.start(type, {
      ...optionsOf(start),
      workflowIdConflictPolicy: ifRunning,
      ...(lifeMs !== undefined && { workflowExecutionTimeout: lifeMs }),
    }),
  );
}

/**
 * Wakes a workflow: starts it, or signals the one that is open. Throws when Temporal does not respond within five
 * seconds.
 */
export async function wakeWorkflow(client: Client, type: string, start: WorkflowStart): Promise<void> {
  await withinDeadline(client, () => client.workflow.signalWithStart(type, { ...optionsOf(start), signal: WAKE }));
}

function optionsOf({ id, input, fairnessKey, summary }: WorkflowStart) {
  return {
    workflowId: id,
    taskQueue: TASK_QUEUE,
    args: [input],
    ...(fairnessKey !== undefined && { priority: { fairnessKey } }),
    ...(summary !== undefined && { staticSummary: summary }),
  };
}

/**
 * Wakes an open workflow; one that is not open is left as it is. Throws when Temporal does not respond within five
 * seconds.
 */
export async function signalWorkflow(client: Client, id: string): Promise<void> {
  await withinDeadline(client, async () => ifFound(client.workflow.getHandle(id).signal(WAKE)));
}

/**
 * Terminates workflows, a few at a time; those that are not there have ended. Throws when Temporal does not respond.
 */
export async function terminateWorkflows(client: Client, ids: readonly string[], reason: string): Promise<void> {
  for (let start = 0; start < ids.length; start += END_BATCH) {
    const batch = ids.slice(start, start + END_BATCH);
    await withinDeadline(client, async () =>
      Promise.all(batch.map(async (id) => ifFound(client.workflow.getHandle(id).terminate(reason)))),
    );
  }
}

async function ifFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
  }
}

/**
 * Returns the id of the namespace, which is another one when Temporal has lost its store. Throws when the engine does
 * not respond within five seconds.
 */
export async function readNamespaceId(client: Client): Promise<string> {
  const { namespace } = client.options;
  const { namespaceInfo } = await withinDeadline(client, async () =>
    client.workflowService.describeNamespace({ namespace }),
  );
  return namespaceInfo?.id ?? '';
}

interface Start {
  readonly options: Pick<WorkflowOptions, 'priority'>;
}

/** Makes the workflows of all organizations of one owner use one share of the workers, instead of one share each. */
export function shareByPayer(payerOf: (orgId: string) => Payer): WorkflowClientInterceptor {
  const ofPayer = <Input extends Start>(input: Input): Input => {
    const { priority } = input.options;
    if (priority?.fairnessKey === undefined) return input;
    const fairnessKey = payerOf(priority.fairnessKey).ownerId;
    return { ...input, options: { ...input.options, priority: { ...priority, fairnessKey } } };
  };
  return {
    startWithDetails: async (input, next) => next(ofPayer(input)),
    signalWithStart: async (input, next) => next(ofPayer(input)),
  };
}

/** Status codes of gRPC: deadline exceeded, unavailable. */
const AWAY: ReadonlySet<unknown> = new Set([4, 14]);
/** What the connection of a worker says, with no code or another one, when it has failed or got no answer in time. */
const AWAY_WORDS = /^tonic::transport::Error|Timeout expired$/;

/** Returns whether an error means that Temporal cannot be reached, or is too busy to respond. */
export function isTemporalAway(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (AWAY.has(Reflect.get(current, 'code')) || AWAY_WORDS.test(current.message)) return true;
    if (current instanceof AggregateError && current.errors.some(isTemporalAway)) return true;
  }
  return false;
}

/** Throws when Temporal does not respond within five seconds. */
export async function probeTemporal(client: Client): Promise<void> {
  await withinDeadline(client, () => client.workflowService.getSystemInfo({}));
}
