import { meter } from '../../../domain/telemetry/meter.ts';
import { type Attributes, messageText, type SpanStart, tracing } from '../../../domain/telemetry/tracing.ts';
import type { ModelOutcome } from '../../../domain/turns.ts';
import type { ProviderFailure } from '../../llm/failures/provider-failure.ts';
import type { ModelCall, Respondent } from './model-call.ts';
import type { StepAttempt } from './step-attempt.ts';

/** Types of providers that OpenTelemetry has other names for. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  'amazon-bedrock': 'aws.bedrock',
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  xai: 'x_ai',
};

/** Returns the span of a call of a model, by the conventions for generative AI. */
export function spanOfCall({ turn, chatId }: StepAttempt, { chosen: { account, model } }: ModelCall): SpanStart {
  return {
    name: `chat ${model}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': PROVIDER_NAMES[account.providerType] ?? account.providerType,
      'gen_ai.request.model': model,
      'gen_ai.request.temperature': turn.agent.temperature,
      'gen_ai.request.max_tokens': turn.agent.maxTokens,
      'gen_ai.conversation.id': chatId,
    },
  };
}

/** Returns what is known of a call once it has ended. */
export function endOfCall({ reader }: ModelCall): Attributes {
  const { usage, finishReason, rawText } = reader;
  return {
    ...(finishReason !== undefined && { 'gen_ai.response.finish_reasons': [finishReason] }),
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedInputTokens,
    ...(tracing.hasContents && { 'gen_ai.output.messages': messageText('assistant', rawText) }),
  };
}

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
