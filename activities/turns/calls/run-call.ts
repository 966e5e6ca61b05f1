import type { Logger } from 'pino';
import type { TurnPublisher } from '../../../db/stream/turn-publisher.ts';
import {
  askAnew,
  beginCall,
  type BegunCall,
  type CallDecision,
  setCallAside,
  takeBackTry,
} from '../../../db/turns/calls/begin-call.ts';
import { type CallResult, closeCall, endRefusedSubAgent } from '../../../db/turns/calls/close-call.ts';
import { noteFaultOfCall } from '../../../db/turns/faults.ts';
import type { StepUsage } from '../../../db/turns/steps/step.ts';
import type { CallDetail } from '../../../domain/approvals.ts';
import { ASK_PERSON } from '../../../domain/questions.ts';
import { maskSecrets } from '../../../domain/secrets.ts';
import { meter } from '../../../domain/telemetry/meter.ts';
import { type Span, type SpanStart, tracing } from '../../../domain/telemetry/tracing.ts';
import { restrictAgent } from '../../../domain/permissions/restrict.ts';
import type { WorkBounds } from '../../../domain/settings/setting-values.ts';
import type { RunToolInput } from '../../../workflows/turns/contract.ts';
import { activityCancellation, type Cancellation } from '../../core/cancellation.ts';
import { HandOver, NoFreeSlot } from '../../core/failure-interceptor.ts';
import { isPassing, retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import type { CallDescription, Tool } from '../../tools/tool.ts';
import { type CallOutcome, isDiskFull } from '../../tools/call/execute-call.ts';
import { type ContextDeps, toolContext } from '../../tools/operations/tool-context.ts';
import { holdsKeyFor, keyFor, type ToolsetFor } from '../../tools/toolset.ts';
import { recipientsOf } from '../ask/announce-steps.ts';
import type { RunningTurns } from '../runs/running-turns.ts';
import { passWorkSlotsOn, type WorkSlotDeps } from '../turn-slot.ts';
import { planApproval } from './approvals.ts';
import { MAX_FAULTS } from './blocked-reason.ts';
import {
  answeredResult,
  brokenResult,
  changedResult,
  deniedResult,
  lostResult,
  refusedResult,
  repeatedResult,
  stoppedResult,
  unansweredResult,
  withDecision,
} from './call-results.ts';
import { findTool, replanEdited } from './plan-calls.ts';

export interface ToolDeps extends WorkSlotDeps, ContextDeps {
  readonly publisher: TurnPublisher;
  readonly runningTurns: RunningTurns;
  /** Bounds on concurrent calls, beside those that a turn runs in its own work slot. */
  readonly callBounds: WorkBounds;
  readonly toolsetFor: ToolsetFor;
  readonly log: Logger;
}

/** How long a non-repeatable call may continue when the worker ends, in milliseconds. */
const LAST_CHANCE_MS = 5_000;

/** How often a call may kill its process, or fail with an unexpected error. */
const MAX_TRIES = 3;

/**
 * Runs a tool call and stores its result. The intent is stored before the tool is called and the result after it, so a
 * second attempt knows of the first: a call that only reads is repeated, one with a key is repeated with the same key,
 * and one that must not happen twice is closed as unknown. A call that killed its process three times, or met an
 * unexpected error as often, is not run again. Throws `NoFreeSlot` when `bounds` are given and reached, and when the
 * call waits for a rate limit of its service.
 */
export async function runCall(
  deps: ToolDeps,
  { orgId, callId }: RunToolInput,
  cancellation: Cancellation,
  bounds?: WorkBounds,
): Promise<void> {
  const call = await beginCall(deps.database, { orgId, callId }, bounds);
  if (call === undefined) return;
  if (call.isDeferred) throw new NoFreeSlot();
  try {
    const planned = await replanEdited(deps, orgId, call);
    await tracing.within(spanOfTool(planned, cancellation), async (span) =>
      new CallAttempt(deps, orgId, planned, cancellation).finish(span),
    );
  } catch (error) {
    if (error instanceof NoFreeSlot) throw error;
    // This process is still alive, so the call did not kill it; an error that comes again counts all the same.
    const takeBack = () => takeBackTry(deps.database, orgId, call);
    if (cancellation.cancelled.aborted || isPassing(error))
      await retryWhileDatabaseUnavailable(cancellation.cancelled, takeBack).catch(() => undefined);
    throw error;
  }
}

function spanOfTool(call: BegunCall, { activity }: Cancellation): SpanStart {
  const { id, name, effect, tries, arguments: args, turn } = call;
  return {
    name: `execute_tool ${name}`,
    parent: tracing.contextOf(turn),
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.conversation.id': turn.chatId,
      'everturn.tool.effect': effect,
      'everturn.tool.tries': tries,
      'temporal.activity.type': activity?.activityType,
      'temporal.activity.attempt': activity?.attempt,
      'temporal.workflow.id': activity?.workflowExecution?.workflowId,
      'temporal.workflow.run_id': activity?.workflowExecution?.runId,
      ...(tracing.hasContents && { 'gen_ai.tool.call.arguments': JSON.stringify(maskSecrets(args)) }),
    },
  };
}

/** How long after its first attempt a call may still wait for a service that asks to be left alone. */
const LONGEST_WAIT_MS = 3_600_000;

function mayWait(waitMs: number, { sinceFirstMs, turn }: BegunCall): boolean {
  const isInTime = turn.remainingMs === null || waitMs < turn.remainingMs;
  return isInTime && (sinceFirstMs ?? 0) + waitMs <= LONGEST_WAIT_MS;
}

/** The result of a call that waits for another decision: nothing is stored, and its turn waits again. */
const ASKED_ANEW = Symbol('asked anew');

const CHANGED: CallDetail = {
  label: 'Asked again',
  value: 'This call changed after it was approved, so it was not made. Its current form is shown below.',
};

/** One attempt at a call. */
class CallAttempt {
  readonly #deps: ToolDeps;
  readonly #orgId: string;
  readonly #call: BegunCall;
  readonly #cancelled: AbortSignal;
  readonly #isShutdown: () => boolean;
  /** The usage that a provider bills for it, even if the call fails. */
  #usage: StepUsage | undefined;

  constructor(deps: ToolDeps, orgId: string, call: BegunCall, { cancelled, isShutdown }: Cancellation) {
    this.#deps = deps;
    this.#orgId = orgId;
    this.#call = call;
    this.#cancelled = cancelled;
    this.#isShutdown = isShutdown;
  }

  async finish(span: Span): Promise<void> {
    const { database, publisher } = this.#deps;
    const { id: stepId, name, label, turn } = this.#call;
    const own = { turnId: turn.id, chatId: turn.chatId, turnSeq: turn.seq, afterSeq: turn.afterSeq };
    const recipients = recipientsOf(own, turn.ancestors);
    publisher.announce(recipients, { type: 'step_start', taskId: turn.id, stepId, name, label });
    const begunAt = performance.now();
    const result = await this.#result();
    if (result === ASKED_ANEW) return;
    const { isStored, isWorkSlotWanted } = await retryWhileDatabaseUnavailable(this.#cancelled, () =>
      closeCall(database, this.#orgId, this.#call, { ...result, usage: this.#usage }),
    );
    if (result.status !== 'success') span.fail(result.status);
    if (tracing.hasContents) span.set({ 'gen_ai.tool.call.result': result.result });
    if (isStored) meter.count('everturn_tool_calls_total', { status: result.status });
    meter.time('everturn_tool_call_seconds', (performance.now() - begunAt) / 1000);
    if (isStored) publisher.announce(recipients, { type: 'step_done', taskId: turn.id, stepId, status: result.status });
    // Waiting turns also check by themselves: the call has its result in any case.
    const owner = { orgId: this.#orgId, userId: turn.userId };
    if (isWorkSlotWanted) await passWorkSlotsOn(this.#deps, owner).catch(() => undefined);
  }

  async #result(): Promise<CallResult | typeof ASKED_ANEW> {
    const { turn, wasBegun, tries, effect, decision } = this.#call;
    if (decision !== null && decision.answer !== null) return answeredResult(decision, decision.answer);
    if (decision !== null && decision.status !== 'approved') return this.#refuse(decision);
    if (turn.isInterrupted) return this.#stop();
    if (tries > MAX_TRIES) return brokenResult(effect, MAX_TRIES);
    if (wasBegun && effect === 'once') return lostResult((await this.#findTool())?.runsCommand === true);
    const result = await this.#make();
    return decision === null || result === ASKED_ANEW ? result : withDecision(result, this.#call, decision);
  }

  async #make(): Promise<CallResult | typeof ASKED_ANEW> {
    const { turn } = this.#call;
    const ancestorIds = turn.ancestors.map(({ turnId }) => turnId);
    const tracked = { id: turn.id, ancestorIds, remainingMs: turn.remainingMs };
    const result = await this.#deps.runningTurns.track(tracked, (stopped) => this.#run(stopped));
    return this.#mayBeDone && result !== ASKED_ANEW ? repeatedResult(result) : result;
  }

  /** Whether an earlier attempt may have made the call. */
  get #mayBeDone(): boolean {
    return this.#call.wasBegun && this.#call.effect !== 'read';
  }

  async #refuse(decision: CallDecision): Promise<CallResult> {
    const { effect, id, name } = this.#call;
    if (effect === 'agent') await endRefusedSubAgent(this.#deps.database, this.#orgId, id);
    return name === ASK_PERSON ? unansweredResult(decision) : refusedResult(decision);
  }

  async #run(stopped: AbortSignal): Promise<CallResult | typeof ASKED_ANEW> {
    const { name, arguments: args, decision } = this.#call;
    const tool = await this.#findTool();
    if (tool?.run === undefined) return deniedResult(`There is no tool "${name}" that you may use any more.`);
    const { policy, effect } = this.#call;
    if (!holdsKeyFor(policy, tool, effect)) {
      return deniedResult(`The user whom you work for lacks the permission ${keyFor(tool, effect)} that this needs.`);
    }
    const signal = AbortSignal.any([stopped, this.#lastCall()]);
    try {
      const contextFor = (until: AbortSignal) => this.#context(until);
      const approved = decision === null ? {} : { approved: decision.digest };
      return await this.#settle(tool, await tool.run(args, { signal, contextFor, ...approved }));
    } catch (error) {
      if (stopped.aborted) {
        await this.#abandon(tool);
        return stoppedResult(effect, true, tool.runsCommand);
      }
      if (!signal.aborted) throw error;
      // The worker ends. Another attempt repeats the call if it may.
      throw new HandOver();
    }
  }

  async #stop(): Promise<CallResult> {
    const { effect, wasBegun } = this.#call;
    if (wasBegun) await this.#abandon(await this.#findTool());
    return stoppedResult(effect, wasBegun);
  }

  async #abandon(tool: Tool | undefined): Promise<void> {
    await tool?.abandon?.(this.#call.arguments, (signal) => this.#context(signal));
  }

  async #settle(tool: Tool, { error, waitMs, changed, ...result }: CallOutcome) {
    if (changed !== undefined) return this.#askAnew(tool, changed);
    if (waitMs !== undefined && mayWait(waitMs, this.#call)) {
      await setCallAside(this.#deps.database, this.#orgId, this.#call, waitMs);
      throw new NoFreeSlot();
    }
    if (isDiskFull(error)) warnOfFullDisk(this.#deps.log, error);
    else if (error !== undefined)
      this.#deps.log.warn({ err: error, tool: tool.key, callId: this.#call.id }, 'a tool failed');
    return result;
  }

  // A call that an earlier attempt may have made as it was approved is not made in another way.
  async #askAnew(tool: Tool, description: CallDescription) {
    if (this.#mayBeDone) return changedResult();
    const expiresAt = new Date(Date.now() + this.#deps.approvalWaitMs);
    const details = [CHANGED, ...description.details];
    const approval = planApproval(tool, { description: { ...description, details }, expiresAt });
    const isAsked = await askAnew(this.#deps.database, this.#orgId, this.#call, approval);
    return isAsked ? ASKED_ANEW : stoppedResult(this.#call.effect, false);
  }

  async #findTool(): Promise<Tool | undefined> {
    return findTool(this.#deps.toolsetFor, this.#orgId, this.#call);
  }

  // Aborts when the worker ends, but gives a non-repeatable call some time to finish.
  #lastCall(): AbortSignal {
    if (this.#call.effect !== 'once') return this.#cancelled;
    const last = new AbortController();
    const end = () => {
      if (this.#isShutdown()) setTimeout(() => last.abort(this.#cancelled.reason), LAST_CHANCE_MS).unref();
      else last.abort(this.#cancelled.reason);
    };
    if (this.#cancelled.aborted) end();
    else this.#cancelled.addEventListener('abort', end, { once: true });
    return last.signal;
  }

  #context(signal: AbortSignal) {
    const {
      agent,
      policy,
      turn,
      rootChatId: workspaceChatId,
      id: idempotencyKey,
      wasBegun: isRepeated,
      hasForeignText,
      decision,
    } = this.#call;
    const skillKeys = policy === null ? [] : restrictAgent(policy, agent).skills;
    const isApproved = decision?.status === 'approved';
    const owner = { orgId: this.#orgId, userId: turn.userId, policy, agentId: agent.id };
    const scope = {
      ...owner,
      skillKeys,
      workspaceChatId,
      chatId: turn.chatId,
      idempotencyKey,
      isRepeated,
      hasForeignText,
      isApproved,
      noteUsage: (usage: StepUsage) => void (this.#usage = usage),
    };
    return toolContext(this.#deps, scope, signal);
  }
}

/** Runs one tool call; see `runCall`. One that cannot even be closed is left to the next claim, which ends its turn. */
export function createRunTool(deps: ToolDeps) {
  return async function runTool(input: RunToolInput): Promise<void> {
    const cancellation = activityCancellation();
    try {
      await runCall(deps, input, cancellation, deps.callBounds);
    } catch (error) {
      if (cancellation.cancelled.aborted || isPassing(error)) throw error;
      if ((await noteFaultOfCall(deps.database, input, MAX_TRIES)) < MAX_FAULTS) throw error;
      deps.log.error({ err: error, callId: input.callId }, 'a call cannot be closed: its turn is ended');
    }
  };
}

const EVERY_MS = 60_000;

let warnedAt = -EVERY_MS;

/** Logs that calls fail because the disk is full: once a minute, however many there are. */
export function warnOfFullDisk(log: { warn(fields: { err: unknown }, message: string): void }, error: unknown): void {
  const now = performance.now();
  if (now - warnedAt < EVERY_MS) return;
  warnedAt = now;
  log.warn({ err: error }, 'the disk of the workspaces is full: tool calls fail');
}
