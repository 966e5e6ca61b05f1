import { type Attributes, messageText, type SpanStart, tracing } from '../../../domain/telemetry/tracing.ts';
import type { ModelCall } from './model-call.ts';
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
