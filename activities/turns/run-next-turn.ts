import { type AncestorTurn, claimTurn } from '../../db/turns/index.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import type { ConversationInput, NextTurnResult, RunToolInput } from '../../workflows/turns/contract.ts';
import { activityCancellation, type Cancellation } from '../core/cancellation.ts';
import { NoPlace } from '../core/failure-interceptor.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import { Superseded } from './ask/step-attempt.ts';
import { LOOK_AGAIN, type StepResult, type TurnDeps, TurnStep } from './turn-step.ts';

/** Runs a call of an inline tool in the place of its turn. */
type RunInlineCall = (call: RunToolInput, cancellation: Cancellation) => Promise<void>;

/**
 * Steps taken before control returns to the workflow, which decides about histories, waits and everything that takes
 * long.
 */
const MAX_STEPS_AT_ONCE = 10;

/** Inline calls hold no place of their own, and each may hold some megabytes for a moment. */
const inlineCalls = new KeyedSemaphore({
  perKey: 8,
  total: 32,
  maxWaiting: 10_000,
  createError: () => new NoPlace(),
});

/**
 * Looks at the chat's oldest open turn and takes its next model step, or returns what must come before that: calls to
 * run, or a wait. Calls of inline tools are run at once, and the next step follows: the rows make that as safe as going
 * through the workflow. Its effects are stored when this returns, and it may be repeated after any crash: a stored step
 * is not repeated, an ended turn is not touched.
 */
export function createRunNextTurn(deps: TurnDeps, runInlineCall: RunInlineCall) {
  return async function runNextTurn(input: ConversationInput): Promise<NextTurnResult> {
    const cancellation = activityCancellation();
    return withHeartbeat(() => takeSteps(deps, runInlineCall, input, cancellation));
  };
}

async function takeSteps(
  deps: TurnDeps,
  runInlineCall: RunInlineCall,
  input: ConversationInput,
  cancellation: Cancellation,
): Promise<NextTurnResult> {
  for (let taken = 1; ; taken += 1) {
    const { areInline, above, ...result } = await takeStep(deps, input, cancellation);
    if (above !== undefined) await endStopped(deps, input.orgId, above, cancellation);
    if (areInline !== true || result.next?.kind !== 'calls' || taken === MAX_STEPS_AT_ONCE) return result;
    const { orgId } = input;
    const run = async (callId: string) =>
      inlineCalls.hold(orgId, async () => runInlineCall({ orgId, callId }, cancellation));
    // A retry must not begin calls that still run here.
    await settleAll(result.next.calls.map(async ({ id }) => run(id)));
  }
}

/**
 * Ends a turn that was stopped and waited for a sub-agent alone, which has just ended, and so on upwards: the workflows of all
 * levels need not complete before the viewer sees the end. They find it in the rows, or do what is left undone here.
 */
async function endStopped(
  deps: TurnDeps,
  orgId: string,
  lowest: AncestorTurn,
  cancellation: Cancellation,
): Promise<void> {
  try {
    let turn: AncestorTurn | undefined = lowest;
    while (turn !== undefined) {
      const place = { orgId, chatId: turn.chatId };
      const result: StepResult = await takeStep(deps, place, cancellation, turn.turnId);
      turn = result.above;
    }
  } catch (error) {
    deps.log.debug({ err: error, turnId: lowest.turnId }, 'a stopped turn is left to its own workflow');
  }
}

async function takeStep(
  deps: TurnDeps,
  input: ConversationInput,
  { cancelled }: Cancellation,
  stoppedTurnId?: string,
): Promise<StepResult> {
  const turn = await claimTurn(deps.database, input, deps.turnBounds, stoppedTurnId);
  if (turn === undefined) return { hasMore: false };
  try {
    return await new TurnStep(deps, input, turn, cancelled).take();
  } catch (error) {
    if (error instanceof Superseded) return LOOK_AGAIN;
    throw error;
  }
}
