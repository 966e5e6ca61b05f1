import type { TurnOutcome } from '../../db/turns/steps/finish-turn.ts';
import { messageText, tracing } from '../../domain/telemetry/tracing.ts';
import type { StepAttempt } from './ask/step-attempt.ts';
import { totalUsage, type TurnEnding } from './turn-outcome.ts';

/** Traces a turn that has ended, from its message on. */
export function tellTurn(attempt: StepAttempt, outcome: TurnOutcome, ending: TurnEnding | undefined): void {
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
