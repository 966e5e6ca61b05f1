import type { Logger } from 'pino';
import { noteForeignText } from '../../db/chats/messages.ts';
import type { RunRef } from '../../db/agent-workflows/runs/run-state.ts';
import type { Definitions } from '../../db/definitions/definitions.ts';
import { expireApprovals } from '../../db/approvals/decide-approval.ts';
import { resolvePromptDefinitions } from '../../db/agent-prompts.ts';
import { notifyAsked } from '../../db/notifications/notify-asked.ts';
import { announceSteps } from '../../db/stream/announce-step.ts';
import type { TurnPublisher } from '../../db/stream/turn-publisher.ts';
import type { AncestorTurn } from '../../db/turns/ancestors.ts';
import type { CallApproval, ClaimedTurn } from '../../db/turns/claim/claimed-turn.ts';
import { closeOpenCalls } from '../../db/turns/steps/close-open-calls.ts';
import { finishTurn, type TurnOutcome } from '../../db/turns/steps/finish-turn.ts';
import { listTurnCalls } from '../../db/turns/calls/list-turn-calls.ts';
import { type StoredCall, storeStep } from '../../db/turns/steps/store-step.ts';
import { storeApprovalWait, storeWait } from '../../db/turns/steps/store-wait.ts';
import type { TurnHistory } from '../../db/transcripts/for-turn.ts';
import { meter } from '../../domain/telemetry/meter.ts';
import { tracing } from '../../domain/telemetry/tracing.ts';
import { evaluateRepetition, type Repetition } from '../../domain/tool-calls/repetition.ts';
import type { ReadCall } from '../../domain/tool-calls/read-call.ts';
import type { ConversationInput, NextTurnResult } from '../../workflows/turns/contract.ts';
import { HandOver } from '../core/failure-interceptor.ts';
import { retryWhileDatabaseUnavailable } from '../core/passing-error.ts';
import type { Toolset, ToolsetFor } from '../tools/toolset.ts';
import { type AskDeps, type AskOutcome, askModel } from './ask/ask-model.ts';
import { describeCalls, type DescribeDeps } from './calls/approvals.ts';
import { planReply } from './calls/plan-calls.ts';
import { findNamedFiles } from './transcript/attachments.ts';
import { useConversation } from './transcript/turn-transcript.ts';
import { Prompt } from './transcript/prompt.ts';
import { blockedReasonOf } from './calls/blocked-reason.ts';
import { OutOfTime, type RunningTurns } from './runs/running-turns.ts';
import { StepAttempt } from './ask/step-attempt.ts';
import {
  announceApprovals,
  announceBegun,
  announceCancelled,
  announceDone,
  announceRejected,
} from './ask/announce-steps.ts';
import { passWorkSlotsOn, type SlotDeps, TurnSlot, waitForWorkSlot, type WorkSlotDeps } from './turn-slot.ts';

import { outcomeOf, reportOf, traceTurn, type TurnEnding } from './turn-outcome.ts';

export interface TurnDeps extends AskDeps, DescribeDeps, SlotDeps, WorkSlotDeps {
  readonly publisher: TurnPublisher;
  readonly runningTurns: RunningTurns;
  readonly log: Logger;
  /** The longest time that a turn waits for a provider, in milliseconds. */
  readonly providerWaitMaxMs: number;
  /** How long a call waits for a person's decision, in milliseconds. */
  readonly approvalWaitMs: number;
  readonly toolsetFor: ToolsetFor;
  readonly definitions: Definitions;
  /** Does at once what is to be done for a run of a workflow or a schedule. Never throws. */
  readonly advanceRun: (run: RunRef) => Promise<void>;
}

/** How much later than what it waits for a turn resumes, to allow for clock differences. */
const BACK_BY_EVERY_CLOCK_MS = 250;

/** The result of a step. */
export interface StepResult extends NextTurnResult {
  /** Whether all calls of `next` are of inline tools, which need no activity of their own. */
  readonly areInline?: boolean;
  /** The turn above an interrupted one: it may have to stop too, and may have waited for this one alone. */
  readonly above?: AncestorTurn;
}

/** The rows determine what is next. */
export const POLL_AGAIN: StepResult = { hasMore: true };

// A sub-agent's workflow would complete if it were woken, and restart only with its siblings, which may wait for its
// slots. So an unfinished turn waits, if only until now.
function waitUntil(until: number): StepResult {
  return { hasMore: true, next: { kind: 'wait', until } };
}

function isRefused(approval: CallApproval | null): boolean {
  return approval?.status === 'denied' || approval?.status === 'expired';
}

/** One step of a turn: from reading its rows to storing the result. */
export class TurnStep {
  readonly #deps: TurnDeps;
  readonly #chat: ConversationInput;
  readonly #turn: ClaimedTurn;
  readonly #attempt: StepAttempt;
  readonly #slot: TurnSlot;
  readonly #cancelled: AbortSignal;

  constructor(deps: TurnDeps, chat: ConversationInput, turn: ClaimedTurn, cancelled: AbortSignal) {
    this.#deps = deps;
    this.#chat = chat;
    this.#turn = turn;
    this.#attempt = new StepAttempt(deps, chat, turn);
    this.#slot = new TurnSlot(deps, turn);
    this.#cancelled = cancelled;
  }

  async take(): Promise<StepResult> {
    const turn = this.#turn;
    if (turn.isReport) return this.#store(reportOf(this.#attempt));
    const isFirst = turn.step === 0 && turn.stepTries === 1;
    this.#measureBegin();
    if (isFirst) announceBegun(this.#deps.publisher, this.#chat.chatId, turn);
    if (turn.isInterrupted) return this.#stop({ status: 'interrupted', error: undefined });
    const blockedReason = blockedReasonOf(turn);
    if (blockedReason !== undefined) return this.#stop({ status: 'failed', error: blockedReason });
    if (turn.openCalls.length > 0) return this.#run(turn.openCalls);
    return turn.hasWorkSlot ? this.#begin() : this.#waitForWorkSlot();
  }

  #measureBegin(): void {
    const { openCalls, step, stepTries, attempt, ageMs } = this.#turn;
    if (openCalls.length > 0) return;
    if (stepTries > 1) meter.count('everturn_repeated_steps_total');
    else if (step === 0 && attempt === 1) meter.time('everturn_turn_wait_seconds', ageMs / 1000);
  }

  async #waitForWorkSlot(): Promise<StepResult> {
    return waitUntil(await waitForWorkSlot(this.#deps, this.#attempt.ref, this.#turn));
  }

  async #begin(): Promise<StepResult> {
    const turn = this.#turn;
    const slot = await this.#slot.acquire(this.#attempt.ref);
    if (slot === 'outdated') return waitUntil(Date.now());
    if (slot !== 'acquired') {
      if ('blockedReason' in slot) return this.#stop({ status: 'failed', error: slot.blockedReason });
      await this.#passWorkSlotOn();
      return waitUntil(slot.waitUntil);
    }
    const ancestorIds = turn.ancestors.map(({ turnId }) => turnId);
    const tracked = { id: turn.id, ancestorIds, remainingMs: turn.remainingMs };
    return this.#deps.runningTurns.track(tracked, (stopped) => this.#askModel(stopped));
  }

  async #askModel(stopped: AbortSignal): Promise<StepResult> {
    const { agent, policy, projects } = this.#turn;
    // Before the model can call anything: what it then writes may repeat that text.
    if (projects.bringForeignText) await noteForeignText(this.#deps.database, this.#chat);
    const definitions = await resolvePromptDefinitions(this.#deps.definitions, this.#chat.orgId, agent, policy);
    const toolset = await this.#toolset();
    const instructions = await toolset.instructions();
    const stop = AbortSignal.any([stopped, this.#cancelled]);
    const files = await findNamedFiles(this.#deps, this.#chat.orgId, this.#turn, stop);
    const prompt = new Prompt(this.#turn, definitions, toolset, instructions);
    const outcome = await askModel(this.#deps, this.#attempt, { prompt, files }, stop);
    if (outcome.kind !== 'stopped') return this.#goOn(outcome, toolset, stop);
    // The worker is shutting down, or was taken for dead: another attempt answers, and this one must not end the turn.
    if (!stopped.aborted) throw new HandOver();
    const finish = { by: outcome.by, finishReason: undefined };
    if (!(stopped.reason instanceof OutOfTime))
      return this.#finish({ status: 'interrupted', error: undefined, ...finish });
    return this.#finish({ status: 'failed', error: "The sub-agent's time limit is up.", ...finish });
  }

  async #goOn(
    outcome: Exclude<AskOutcome, { kind: 'stopped' }>,
    toolset: Toolset,
    stop: AbortSignal,
  ): Promise<StepResult> {
    if (outcome.kind === 'replied') return this.#useReply(outcome, toolset, stop);
    if (outcome.kind === 'wait') return this.#wait(outcome.until, outcome.why);
    return this.#finish({ status: 'failed', error: outcome.message, by: outcome.by, finishReason: undefined });
  }

  async #useReply(
    { reply, by }: AskOutcome & { kind: 'replied' },
    toolset: Toolset,
    stop: AbortSignal,
  ): Promise<StepResult> {
    const { finishReason } = reply;
    if (reply.calls.length === 0) return this.#finish({ status: 'completed', error: undefined, by, finishReason });
    const { approvalWaitMs } = this.#deps;
    const describe = describeCalls(this.#deps, this.#chat, this.#turn, stop);
    const evaluate = async (kept: readonly ReadCall[]) => this.#evaluateRepetition(kept);
    const plan = await planReply(this.#turn, reply.calls, { toolset, approvalWaitMs, describe, evaluate });
    if ('stop' in plan) return this.#finish({ status: 'failed', error: plan.stop, by, finishReason });
    const { calls } = plan;
    const { text, ref } = this.#attempt;
    const stored = await this.#retryWhileDatabaseUnavailable(() =>
      storeStep(this.#deps.database, ref, {
        text,
        rawText: reply.rawText === text ? null : reply.rawText,
        state: reply.state === undefined ? null : { streamType: by.chosen.streamType, data: reply.state },
        usage: by.usage,
        calls,
        tries: this.#attempt.tries.record(),
        traceparent: tracing.contextOf(this.#turn),
      }),
    );
    if (stored === undefined) return POLL_AGAIN;
    announceRejected(this.#deps.publisher, this.#attempt, calls);
    if (stored.isWorkSlotWanted) await this.#passWorkSlotOn();
    return this.#run(stored.calls);
  }

  async #evaluateRepetition(calls: readonly ReadCall[]): Promise<readonly Repetition[]> {
    const use = async (read: () => Promise<TurnHistory>) =>
      evaluateRepetition((await read()).turns.at(-1)?.steps ?? [], calls);
    const { result } = await useConversation(this.#deps, this.#attempt, { use, sizeOf: () => 0 }, this.#cancelled);
    return result;
  }

  // Waiting turns also check by themselves.
  async #passWorkSlotOn(): Promise<void> {
    await passWorkSlotsOn(this.#deps, { orgId: this.#chat.orgId, userId: this.#turn.userId }).catch(() => undefined);
  }

  async #toolset(): Promise<Toolset> {
    const { policy, agent } = this.#turn;
    return this.#deps.toolsetFor({ orgId: this.#chat.orgId, policy, agent, turn: this.#turn });
  }

  async #run(calls: readonly StoredCall[]): Promise<StepResult> {
    const { maxConcurrency } = this.#turn.agent;
    announceApprovals(this.#deps.publisher, this.#attempt, calls);
    const ready = calls.filter(({ approval }) => approval?.status !== 'pending');
    const notifyAgainAt =
      ready.length === calls.length
        ? null
        : await notifyAsked(this.#deps.database, { orgId: this.#chat.orgId, turnId: this.#turn.id });
    if (ready.length === 0 && calls.length > 0) return this.#waitForDecisions(calls, notifyAgainAt);
    const toolset = await this.#toolset();
    // A sub-agent whose work was refused has no turn to run: its call gets its result as one of a tool does.
    const next = ready.map(({ id, subChatId, approval }) => ({
      id,
      subChatId: isRefused(approval) ? null : subChatId,
    }));
    const areInline = ready.every(({ name, approval }) => isRefused(approval) || toolset.find(name)?.inline === true);
    return { hasMore: true, next: { kind: 'calls', calls: next, maxConcurrency }, areInline };
  }

  async #waitForDecisions(calls: readonly StoredCall[], notifyAgainAt: Date | null): Promise<StepResult> {
    const { database } = this.#deps;
    const expiries = calls.flatMap(({ approval }) => (approval === null ? [] : [Date.parse(approval.expiresAt)]));
    const expiresAt = Math.min(...expiries);
    if (expiresAt <= Date.now()) {
      const expired = await expireApprovals(database, { orgId: this.#chat.orgId, turnId: this.#turn.id });
      await announceSteps(
        database,
        expired.map(({ news }) => news),
      );
      if (expired.length > 0) return waitUntil(Date.now());
    }
    const givenUpAt = Math.max(expiresAt, Date.now()) + BACK_BY_EVERY_CLOCK_MS;
    const until = Math.min(givenUpAt, notifyAgainAt?.getTime() ?? givenUpAt);
    const stored = await storeApprovalWait(database, this.#attempt.ref, new Date(until));
    if (stored === undefined) return waitUntil(Date.now());
    // Waiting turns also check by themselves.
    await this.#slot.release(this.#chat.orgId).catch(() => undefined);
    if (stored.isWorkSlotWanted) await this.#passWorkSlotOn();
    return waitUntil(stored.isWoken ? Date.now() : until);
  }

  async #wait(until: number, why: string): Promise<StepResult> {
    const { database, providerWaitMaxMs } = this.#deps;
    const now = Date.now();
    const giveUpAt = (this.#turn.waitingSince?.getTime() ?? now) + providerWaitMaxMs;
    if (giveUpAt <= now) return this.#finish({ status: 'failed', error: why, by: undefined, finishReason: undefined });
    const overdueAt = now + (this.#turn.remainingMs ?? Number.POSITIVE_INFINITY);
    const wakeAt = Math.min(until + BACK_BY_EVERY_CLOCK_MS, giveUpAt, overdueAt);
    const stored = await storeWait(database, this.#attempt.ref, new Date(wakeAt), this.#attempt.tries.record());
    if (stored === undefined) return waitUntil(Date.now());
    if (stored.isWorkSlotWanted) await this.#passWorkSlotOn();
    return waitUntil(stored.isWoken ? now : wakeAt);
  }

  // Ends the turn before another step; running sub-agents, which stop with it, are awaited first.
  async #stop(ending: Pick<TurnEnding, 'status' | 'error'>): Promise<StepResult> {
    const { openCalls } = this.#turn;
    if (openCalls.length > 0) {
      announceCancelled(this.#deps.publisher, this.#attempt, openCalls);
      const working = await closeOpenCalls(this.#deps.database, this.#attempt.ref);
      if (working.length > 0) return this.#run(working);
    }
    // Text that a lost attempt has shown stays, because viewers have seen it.
    if (this.#turn.stepTries > 1) await this.#attempt.adopt();
    return this.#finish({ ...ending, by: undefined, finishReason: undefined });
  }

  async #finish(ending: TurnEnding): Promise<StepResult> {
    const result = await this.#store(await this.#outcome(ending), ending);
    if (result === POLL_AGAIN) return result;
    const above = ending.status === 'interrupted' ? this.#turn.ancestors.at(-1) : undefined;
    return { ...result, ...(above && { above }) };
  }

  async #outcome(ending: TurnEnding): Promise<TurnOutcome> {
    const { database } = this.#deps;
    const hasCalls = (this.#turn.history.turns.at(-1)?.steps.length ?? 0) > 0;
    const calls = hasCalls
      ? await this.#retryWhileDatabaseUnavailable(() => listTurnCalls(database, this.#chat.orgId, this.#turn.id))
      : [];
    return outcomeOf(this.#attempt, ending, calls);
  }

  async #store(outcome: TurnOutcome, ending?: TurnEnding): Promise<StepResult> {
    const { database, publisher } = this.#deps;
    const finished = await this.#retryWhileDatabaseUnavailable(() => finishTurn(database, outcome));
    if (finished !== undefined && ending !== undefined) announceDone(publisher, this.#attempt, ending);
    this.#attempt.end();
    // Nothing was stored: the result of an earlier try was lost, or another attempt has the turn.
    if (finished === undefined) return POLL_AGAIN;
    meter.count('everturn_turns_ended_total', { status: outcome.status });
    traceTurn(this.#attempt, outcome, ending);
    // Turns that wait for the slot also check by themselves: this turn has ended in any case.
    await this.#slot.release(this.#chat.orgId).catch(() => undefined);
    if (finished.isWorkSlotWanted) await this.#passWorkSlotOn();
    const { orgId, runId, status } = outcome;
    // It ends with its turn: whoever stops it does not wait until Temporal is back.
    if (runId !== null && status === 'interrupted') await this.#deps.advanceRun({ orgId, runId });
    return { hasMore: finished.hasMore };
  }

  async #retryWhileDatabaseUnavailable<T>(work: () => Promise<T>): Promise<T> {
    return retryWhileDatabaseUnavailable(this.#cancelled, work);
  }
}
