import type { Logger } from 'pino';
import type { TurnOfThread } from '../../db/channels/edits.ts';
import type { Database } from '../../db/core/database.ts';
import type { AncestorTurn } from '../../db/turns/ancestors.ts';
import { type Claim, claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { notifyClientsOf } from '../../db/webhooks/notify-webhook.ts';
import type { ClaimedTurn } from '../../db/turns/claim/claimed-turn.ts';
import { closeOpenCalls } from '../../db/turns/steps/close-open-calls.ts';
import { type FaultyTurn, noteFault } from '../../db/turns/faults.ts';
import { finishTurn, type TurnOutcome } from '../../db/turns/steps/finish-turn.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { settleAll } from '../../domain/core/promises.ts';
import {
  conversationId,
  type ConversationInput,
  type NextTurnResult,
  type RunToolInput,
  subAgentId,
} from '../../workflows/turns/contract.ts';
import { type SpanStart, tracing } from '../../domain/telemetry/tracing.ts';
import type { Cancellation } from '../core/cancellation.ts';
import { NoFreeSlot } from '../core/failure-interceptor.ts';
import { isPassing } from '../core/passing-error.ts';
import { Superseded } from './ask/step-attempt.ts';
import { FAULTY, MAX_FAULTS } from './calls/blocked-reason.ts';
import type { TurnRun, TurnRuns } from './runs/turn-runs.ts';
import { POLL_AGAIN, type StepResult, type TurnDeps, TurnStep } from './turn-step.ts';

export interface StepsDeps {
  readonly turns: TurnDeps;
  readonly runs: TurnRuns;
  /** Runs a call of an inline tool in the work slot of its turn. */
  readonly runInlineCall: (call: RunToolInput, cancellation: Cancellation) => Promise<void>;
  /** Shows the answer of a turn in its thread while it is written, until what it returns is called. Never throws. */
  readonly streamAnswer: (turn: TurnOfThread) => () => void;
}

/**
 * Steps taken before control returns to the workflow, which decides about histories, waits and everything that takes
 * long.
 */
const MAX_STEPS_AT_ONCE = 10;

/** Inline calls have no work slot of their own, and each may take some megabytes for a moment. */
const inlineCalls = new KeyedSemaphore({
  perKey: 8,
  total: 32,
  maxWaiting: 10_000,
  createError: () => new NoFreeSlot(),
});

/**
 * Claims the chat's oldest open turn and takes its next model step, or returns what must come before that: calls to
 * run, or a wait. Calls of inline tools are run at once, and the next step follows: the rows make that as safe as going
 * through the workflow. Its effects are stored when this returns, and it may be repeated after any crash: a stored step
 * is not repeated, an ended turn is not touched. Returns `undefined` when there is nothing to claim.
 *
 * Errors that pass by themselves are thrown however often they come. Those that do not are counted in the turn's row,
 * and end it when they come again and again.
 */
export async function takeSteps(
  deps: StepsDeps,
  chat: ConversationInput,
  run: TurnRun,
  claim: Pick<Claim, 'isHeadStart' | 'stoppedTurnId'> = {},
): Promise<NextTurnResult | undefined> {
  try {
    return await takeInOrder(deps, chat, run, claim);
  } catch (error) {
    if (run.cancellation.cancelled.aborted || isPassing(error)) throw error;
    if (!(await noteUnexpected(deps.turns, chat, deps.runs.runner, error))) throw error;
    return POLL_AGAIN;
  }
}

async function takeInOrder(
  deps: StepsDeps,
  chat: ConversationInput,
  run: TurnRun,
  claim: Pick<Claim, 'isHeadStart' | 'stoppedTurnId'>,
): Promise<NextTurnResult | undefined> {
  for (let taken = 1; ; taken += 1) {
    const step = await takeStep(deps, chat, run, taken === 1 ? claim : {});
    // Another process may have continued the turn between two steps.
    if (step === undefined) return taken === 1 ? undefined : POLL_AGAIN;
    const { areInline, above, ...result } = step;
    if (above !== undefined) await endStopped(deps, chat.orgId, above);
    if (areInline !== true || result.next?.kind !== 'calls' || taken === MAX_STEPS_AT_ONCE) return result;
    const { orgId } = chat;
    const { cancellation } = run;
    const signal = cancellation.cancelled;
    const runInline = async (callId: string) => {
      // A run that has lost its lease begins no call: another process may run it.
      const begin = async () => deps.runInlineCall({ orgId, callId }, cancellation);
      return inlineCalls.run(deps.turns.database.payers.known(orgId), begin, { signal });
    };
    signal.throwIfAborted();
    // A retry must not begin calls that still run here.
    await settleAll(result.next.calls.map(async ({ id }) => runInline(id)));
  }
}

/**
 * Ends a turn that was stopped and waited for a sub-agent alone, which has just ended, and so on upwards: the workflows
 * of all levels need not complete before the viewer sees the end. They find it in the rows, or do what is left undone
 * here.
 */
async function endStopped(deps: StepsDeps, orgId: string, { chatId, turnId }: AncestorTurn): Promise<void> {
  const chat = { orgId, chatId };
  // A poll that is under way may have seen another sub-agent still working.
  await deps.runs.get(chat)?.result.catch(() => undefined);
  if (deps.runs.get(chat) !== undefined) return;
  const run = deps.runs.begin(chat, async (self) => takeSteps(deps, chat, self, { stoppedTurnId: turnId }));
  await run.result.catch((error: unknown) => {
    deps.turns.log.debug({ err: error, turnId }, 'a stopped turn is left to its own workflow');
  });
}

async function takeStep(
  { turns, runs: { runner }, streamAnswer }: StepsDeps,
  chat: ConversationInput,
  run: TurnRun,
  claim: Claim,
): Promise<StepResult | undefined> {
  const turn = await claimTurn(turns.database, chat, {
    ...claim,
    runner,
    isFollowed: run.isFollowed,
    bounds: turns.turnBounds,
  });
  if (turn === undefined) return undefined;
  run.claim({ turnId: turn.id, seq: turn.seq });
  if (turn.hasClientsToNotify) await notifyClientsOf(turns.database, { orgId: chat.orgId, turnId: turn.id });
  // While calls are open no step is begun.
  const isBegun = turn.openCalls.length === 0;
  const endStream = isBegun && turn.isOfThread ? streamAnswer({ orgId: chat.orgId, turnId: turn.id }) : undefined;
  try {
    const step = new TurnStep(turns, chat, turn, run.cancellation.cancelled);
    const result = await (isBegun ? tracing.within(spanOfStep(chat, turn), async () => step.take()) : step.take());
    if (result.next === undefined && result !== POLL_AGAIN) run.end();
    return result;
  } catch (error) {
    if (error instanceof Superseded) return POLL_AGAIN;
    throw error;
  } finally {
    endStream?.();
  }
}

function spanOfStep(chat: ConversationInput, turn: ClaimedTurn): SpanStart {
  return {
    name: `step ${turn.step}`,
    parent: tracing.contextOf(turn),
    attributes: {
      'gen_ai.conversation.id': chat.chatId,
      'everturn.turn.id': turn.id,
      'everturn.step': turn.step,
      'everturn.step.tries': turn.stepTries,
      'temporal.workflow.id': turn.task === null ? conversationId(chat) : subAgentId(chat),
    },
  };
}

/**
 * Counts an unexpected error of the chat's oldest open turn, and logs it. From `MAX_FAULTS` on the next claim ends the
 * turn. When that meets errors twice more, as with rows that cannot be read, it is ended here with the least that a
 * turn's end needs; returns whether it was.
 */
async function noteUnexpected(
  { database, log }: { readonly database: Database; readonly log: Logger },
  chat: ConversationInput,
  runner: string,
  error: unknown,
): Promise<boolean> {
  const turn = await noteFault(database, chat, runner);
  log.error(
    { err: error, chatId: chat.chatId, turnId: turn?.turnId, faults: turn?.faults },
    'an attempt at a turn failed with an unexpected error',
  );
  if (turn === undefined || turn.faults < MAX_FAULTS + 2) return false;
  // Sub-agents stop because the turn above them has ended.
  await closeOpenCalls(database, turn);
  return (await finishTurn(database, endOf(turn))) !== undefined;
}

function endOf(turn: FaultyTurn): TurnOutcome {
  return {
    ...turn,
    status: 'failed',
    content: FAULTY,
    metadata: {
      status: 'failed',
      turn_id: turn.turnId,
      tool_call_count: 0,
      tool_calls_detail: [],
      sub_agents: [],
      error: FAULTY,
      usage: { input_tokens: 0, output_tokens: 0 },
    },
    providerUsed: null,
    usage: undefined,
    lastText: undefined,
    delegationResult: turn.isSubAgent
      ? { status: 'error', result: `The sub-agent failed: ${FAULTY}`, isForeign: false }
      : undefined,
  };
}
