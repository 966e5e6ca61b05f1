import type { WireFormat } from '../wire-format.ts';
import { CompletionReader } from './completion-reader.ts';
import { toCompletionRequest } from './completion-request.ts';
import { splitCompletion } from './split-completion.ts';

/**
 * Chat completions as OpenAI publishes them (API reference, "Create chat completion", streamed) and forty other
 * providers serve them.
 */
export const openaiCompat: WireFormat = {
  answerName: 'chat completion',
  tools: { maxDescription: 1_024 },
  toHttp: toCompletionRequest,
  createReader: ({ model }) => new CompletionReader(model),
  splitWhole: splitCompletion,
};
