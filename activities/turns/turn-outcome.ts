import type { ClaimedTurn, UsedTokens } from '../../db/turns/claim/claimed-turn.ts';
import type { TurnCall } from '../../db/turns/calls/list-turn-calls.ts';
import type { TurnOutcome } from '../../db/turns/steps/finish-turn.ts';
import { sumOfCosts } from '../../domain/prices.ts';
import { messageText, tracing } from '../../domain/telemetry/tracing.ts';
import type { FinalTurnStatus } from '../../domain/turns.ts';
import type { Respondent } from './ask/model-call.ts';
import { delegationResultOf } from './calls/call-results.ts';
import { shownCalls, shownUsage } from './ask/shown-calls.ts';
import type { StepAttempt } from './ask/step-attempt.ts';

/** The end of a turn. */
export interface TurnEnding {
  readonly status: FinalTurnStatus;
  /** Why it failed, in words for its user. */
  readonly error: string | undefined;
  /** The model that was called last; absent when this claim of the turn called none. */
  readonly by: Respondent | undefined;
  readonly finishReason: string | undefined;
}

/** Returns the stored outcome of a turn. */
export function outcomeOf(attempt: StepAttempt, ending: TurnEnding, calls: readonly TurnCall[]): TurnOutcome {
  const { turn } = attempt;
  const { status, error, by } = ending;
  const { answer } = attempt;
  const hasSteps = textsOf(turn).length > 0;
  // A failure that came before the first word leaves the message to say why.
  const content = answer === '' ? (error ?? '') : answer;
  return {
    ...attempt.ref,
    chatId: attempt.chatId,
    status,
    content,
    metadata: metadataOf(turn, ending, calls),
    agentId: turn.agent.id,
    providerUsed: by?.chosen.account.name ?? null,
    usage: by?.usage,
    tries: attempt.tries.record(),
    lastText: hasSteps && by !== undefined ? attempt.text : undefined,
    isAttempt: turn.worksOn !== null,
    runId: turn.runId,
    delegationResult: turn.task === null ? undefined : delegationResultOf({ status, answer, error }, turn.task),
  };
}

/** Returns the stored outcome of a turn that reports the result of a task. */
export function reportOf(attempt: StepAttempt): TurnOutcome {
  const { turn } = attempt;
  const ending: TurnEnding = { status: 'completed', error: undefined, by: undefined, finishReason: undefined };
  const { worksOn: task } = turn;
  return {
    ...outcomeOf(attempt, ending, []),
    content: resultOf(task),
    metadata: {
      ...metadataOf(turn, ending, []),
      ...(task !== null && { task: { id: task.id, title: task.title, status: task.status } }),
    },
    agentId: task?.agentId ?? turn.agent.id,
    isAttempt: false,
  };
}

function resultOf(task: ClaimedTurn['worksOn']): string {
  if (task === null) return 'The task was deleted before its result was reported.';
  return task.output ?? 'The task was started again before its result was reported.';
}

/** Sums the tokens of all steps of a turn, and what they cost. */
export function totalUsage({ usedTokens: used }: ClaimedTurn, by: Respondent | undefined): UsedTokens {
  const last = by?.usage;
  if (last === undefined) return used;
  return {
    inputTokens: used.inputTokens + last.inputTokens,
    outputTokens: used.outputTokens + last.outputTokens,
    cachedInputTokens: used.cachedInputTokens + (last.cachedInputTokens ?? 0),
    reasoningTokens: used.reasoningTokens + (last.reasoningTokens ?? 0),
    estimated: used.estimated || last.estimated,
    cost: sumOfCosts(used.cost, last.cost),
  };
}

function textsOf({ history }: ClaimedTurn): string[] {
  return history.turns.at(-1)?.steps.map(({ text }) => text) ?? [];
}

function metadataOf(turn: ClaimedTurn, { status, error, by, finishReason }: TurnEnding, calls: readonly TurnCall[]) {
  const usage = totalUsage(turn, by);
  return {
    status,
    turn_id: turn.id,
    tool_call_count: calls.length,
    ...shownCalls(calls, textsOf(turn)),
    error,
    usage: shownUsage(usage),
    usage_estimated: usage.estimated,
    finish_reason: finishReason,
    model: by?.chosen.model ?? null,
    provider_account_id: by?.chosen.account.id ?? null,
    context_tokens: by?.context?.tokens ?? null,
    context_window: by?.context?.window ?? null,
  };
}

/** Traces a turn that has ended, from its message on. */
export function traceTurn(attempt: StepAttempt, outcome: TurnOutcome, ending: TurnEnding | undefined): void {
  const { turn } = attempt;
  const usage = totalUsage(turn, ending?.by);
  tracing.endTurn(turn, {
    name: `invoke_agent ${turn.agent.name}`,
    startedAt: attempt.acceptedAt,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': turn.agent.id,
      'gen_ai.agent.name': turn.agent.name,
      'gen_ai.conversation.id': attempt.chatId,
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'everturn.org.id': attempt.ref.orgId,
      'everturn.turn.id': turn.id,
      'everturn.turn.status': outcome.status,
      ...(tracing.hasContents && {
        'gen_ai.input.messages': messageText('user', turn.history.turns.at(-1)?.question ?? ''),
        'gen_ai.output.messages': messageText('assistant', outcome.content),
      }),
    },
    failure: outcome.status === 'failed' ? 'turn_failed' : undefined,
  });
}
