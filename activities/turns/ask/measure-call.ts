import type { ModelOutcome } from '../../../domain/turns.ts';
import { meter } from '../../../domain/telemetry/meter.ts';
import type { ProviderFailure } from '../../llm/failures/provider-failure.ts';
import type { Respondent } from './model-call.ts';
import type { StepAttempt } from './step-attempt.ts';

interface EndedCall {
  /** Milliseconds since 1970, as `firstAt`. */
  readonly startedAt: number;
  /** Undefined when nothing came. */
  readonly firstAt: number | undefined;
  readonly outcome: ModelOutcome;
  readonly failure?: ProviderFailure;
  readonly by: Respondent;
}

/** Adds a call of a model to the metrics, by the type of its provider: members choose the names of models freely. */
export function measureCall(attempt: StepAttempt, { startedAt, firstAt, outcome, failure, by }: EndedCall): void {
  const provider = by.chosen.account.providerType;
  meter.count('everturn_model_calls_total', { provider, outcome, failure: failure?.kind ?? '' });
  if (firstAt !== undefined) {
    meter.time('everturn_model_first_token_seconds', (firstAt - startedAt) / 1000, { provider });
    if (attempt.turn.step === 0)
      meter.time('everturn_first_token_seconds', Math.max(firstAt - attempt.acceptedAt, 0) / 1000);
  }
  const { usage } = by;
  if (usage === undefined) return;
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cached, reasoningTokens: reasoning } = usage;
  for (const [kind, tokens] of Object.entries({ input, output, cached, reasoning }))
    if (tokens !== undefined && tokens > 0) meter.count('everturn_model_tokens_total', { provider, kind }, tokens);
  if (usage.cost !== null)
    meter.count('everturn_model_cost_microdollars_total', { provider }, Math.round(usage.cost * 1e6));
}
