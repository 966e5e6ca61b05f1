import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantDatabase } from '../../../db/core/database.ts';
import { findRemoteTask, noteRemoteTask, noteSending } from '../../../db/turns/calls/remote-task.ts';
import { cut } from '../../../domain/core/text.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import type { RemoteAgent, RemoteAnswer, RemoteState, ToolContext } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import { type CallDescription, NOTHING_ELSE, type ToolOutput } from '../tool.ts';

/** The kind of the integrations by which agents of other platforms are registered. */
const KINDS = ['a2a'] as const;

/** The dependencies of delegating to agents of other platforms. */
export interface RemoteDelegationDeps {
  readonly database: TenantDatabase;
  /** Longest time that such an agent may work, in seconds. */
  readonly subAgentTimeLimitSeconds: number;
}

/** Work for an agent of another platform. */
interface RemoteWork {
  readonly orgId: string;
  /** The name of the integration. */
  readonly agent: string;
  readonly message: string;
}

/** Less than the longest time of the activity that runs the call. */
const MAX_SECONDS = 3_300;
const FIRST_POLL_MS = 250;
const LONGEST_POLL_MS = 10_000;
/** Polls in a row that may fail before an agent counts as lost. */
const MAX_FAILED_POLLS = 5;
/** How long the id of a task is waited for that another attempt has sent. */
const TASK_WAIT_MS = 5_000;
const TASK_POLL_MS = 100;
/** The maximum length of an agent's explanation why it has not done its work, in characters. */
const MAX_SAID = 4_000;

/** Returns how long an agent of another platform may work, in seconds. */
export function remoteTimeLimit({ subAgentTimeLimitSeconds: seconds }: RemoteDelegationDeps): number {
  return Math.min(seconds, MAX_SECONDS);
}

/** Describes the work for an agent of another platform by its address; see `Tool.describe`. */
export async function describeRemote(agent: string, context: ToolContext): Promise<CallDescription> {
  const found = await context.findIntegration(agent);
  if (found?.kind !== 'a2a') return NOTHING_ELSE;
  const details = [
    { label: 'Agent of another platform', value: found.name },
    { label: 'Card', value: found.apiUrl },
  ];
  return { details, basis: { connection: found.connection } };
}

/**
 * Delegates work to an agent of another platform, and returns its answer, which is text from outside. The intent to
 * send is stored before the message is sent, and the id of the task after it: another attempt continues with the task,
 * and never sends twice.
 */
export async function delegateRemotely(
  deps: RemoteDelegationDeps,
  work: RemoteWork,
  context: ToolContext,
): Promise<ToolOutput> {
  const { agent } = work;
  const seconds = remoteTimeLimit(deps);
  const deadline = performance.now() + seconds * 1000;
  const remote = await openAgent(agent, context);
  const first = await begin(deps, work, { remote, context, timeoutMs: seconds * 1000 });
  const answer = await follow(remote, first, { deadline, signal: context.signal });
  if (answer.state === 'completed')
    return { value: answer.text || 'The agent has answered with nothing.', isForeign: true };
  if (answer.taskId !== undefined && OPEN.has(answer.state)) await cancelIfPossible(remote, answer.taskId);
  throw unfinished(agent, answer, seconds);
}

/** Ends the task that a stopped call has given an agent of another platform, where one is known. */
export async function cancelRemotely(
  deps: RemoteDelegationDeps,
  { orgId, agent }: Pick<RemoteWork, 'orgId' | 'agent'>,
  context: ToolContext,
): Promise<void> {
  const taskId = await knownTask(deps, { orgId, callId: context.idempotencyKey }, context.signal);
  if (taskId !== undefined) await (await openAgent(agent, context)).cancel(taskId);
}

async function openAgent(name: string, context: ToolContext): Promise<RemoteAgent> {
  const { connection } = await context.findService(KINDS, name);
  return context.connections.openAgent(await context.openService(KINDS, name), connection);
}

interface Beginning {
  readonly remote: RemoteAgent;
  readonly context: ToolContext;
  readonly timeoutMs: number;
}

async function begin(
  deps: RemoteDelegationDeps,
  { orgId, agent, message }: RemoteWork,
  { remote, context, timeoutMs }: Beginning,
): Promise<RemoteAnswer> {
  const { idempotencyKey: callId, signal } = context;
  if (await noteSending(deps.database, { orgId, callId })) {
    const answer = await remote.send({ id: callId, text: message, timeoutMs });
    const { taskId } = answer;
    if (taskId !== undefined)
      await retryWhileDatabaseUnavailable(signal, async () => noteRemoteTask(deps.database, { orgId, callId }, taskId));
    return answer;
  }
  const taskId = await knownTask(deps, { orgId, callId }, signal);
  if (taskId !== undefined) return { taskId, state: 'working', text: '' };
  const words = `The process that gave ${agent} the work ended before it learned of the task, so it is not given again`;
  throw new ToolFailure('upstream', words, { isUncertain: true });
}

/** Returns the id of the task of a call; undefined when none was sent, or it stays unknown. */
async function knownTask(
  { database }: RemoteDelegationDeps,
  call: { readonly orgId: string; readonly callId: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadline = performance.now() + TASK_WAIT_MS;
  for (;;) {
    const task = await retryWhileDatabaseUnavailable(signal, async () => findRemoteTask(database, call));
    if (task !== '') return task ?? undefined;
    // The process that has sent it may still be there, waiting for the answer.
    if (performance.now() > deadline) return undefined;
    await sleep(TASK_POLL_MS, undefined, { signal });
  }
}

interface Following {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

async function follow(
  remote: RemoteAgent,
  first: RemoteAnswer,
  { deadline, signal }: Following,
): Promise<RemoteAnswer> {
  let [answer, failed] = [first, 0];
  for (let waitMs = FIRST_POLL_MS; isOpen(answer); waitMs = Math.min(waitMs * 1.5, LONGEST_POLL_MS)) {
    const { taskId } = answer;
    if (performance.now() + waitMs > deadline) return answer;
    await sleep(waitMs, undefined, { signal });
    try {
      [answer, failed] = [await remote.poll(taskId), 0];
    } catch (error) {
      failed += 1;
      if (isPassing(error) && failed < MAX_FAILED_POLLS) continue;
      if (error instanceof ToolFailure) await cancelIfPossible(remote, taskId);
      throw lostTrack(error);
    }
  }
  return answer;
}

function isOpen(answer: RemoteAnswer): answer is RemoteAnswer & { readonly taskId: string } {
  return answer.state === 'working' && answer.taskId !== undefined;
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof ToolFailure) || !error.mayPass) return false;
  // An error of the agent itself, which has not refused the question.
  return !error.isForeign || error.isUncertain;
}

// The result of the call is known already, whether or not the agent can still be reached.
async function cancelIfPossible(remote: RemoteAgent, taskId: string): Promise<void> {
  await remote.cancel(taskId).catch(() => undefined);
}

// The agent has the task, whatever becomes of the question how far it is.
function lostTrack(error: unknown): unknown {
  if (!(error instanceof ToolFailure)) return error;
  const { kind, message, isForeign } = error;
  return new ToolFailure(kind, message, { isUncertain: true, isForeign, cause: error });
}

/** States in which an agent would continue, or wait for somebody. */
const OPEN: ReadonlySet<RemoteState> = new Set(['working', 'input-required', 'auth-required']);

const AGAIN = 'its task was cancelled. Give it the work again with the answer in `context`';
const WORDS: Readonly<Record<Exclude<RemoteState, 'working' | 'completed'>, string>> = {
  failed: 'has failed',
  canceled: 'has cancelled the work',
  rejected: 'has refused the work',
  'input-required': `asks a question, which nobody can answer while it waits: ${AGAIN}`,
  'auth-required': 'needs an authorization that it was not given: somebody must check its integration',
};

function unfinished(agent: string, { state, text }: RemoteAnswer, seconds: number): ToolFailure {
  if (state === 'working' || state === 'completed') {
    const message = `${agent} has not finished within ${seconds} seconds, and its task was cancelled`;
    return new ToolFailure('timeout', message, { isUncertain: true });
  }
  const said = text === '' ? '' : `. It says: ${cut(text, MAX_SAID)}`;
  const kind = state === 'auth-required' ? 'denied' : 'upstream';
  return new ToolFailure(kind, `${agent} ${WORDS[state]}${said}`, { isForeign: said !== '' });
}
