import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { GuardedFetch } from '../core/guarded-fetch.ts';
import { type CallLimits, CallTimeout, CallWatch } from './call-limits.ts';
import { describeFailure } from './describe-failure.ts';
import { expectEventStream } from './event-stream.ts';
import type { EndReason, ModelAdapter, ModelEvent, ModelRequest } from './model-adapter.ts';
import { ProviderFailure } from './provider-failure.ts';
import { watchBody } from './watch-body.ts';
import { WholeCharacters } from './whole-characters.ts';

/**
 * Chat completions as OpenAI publishes them (API reference, "Create chat completion", streamed) and forty other
 * providers serve them.
 */
export function openaiCompat(fetch: GuardedFetch, limits: CallLimits): ModelAdapter {
  return async function* stream(request, stop) {
    const watch = new CallWatch(limits, stop);
    try {
      const client = new OpenAI({
        apiKey: request.account.apiKey ?? 'none',
        baseURL: request.account.baseUrl,
        // Temporal repeats what is worth repeating.
        maxRetries: 0,
        timeout: limits.totalMs,
        // It would write past our log.
        logLevel: 'off',
        fetch: async (url, init) => {
          const response = await fetch(
            url instanceof Request ? url.url : url.toString(),
            init as Parameters<GuardedFetch>[1],
          );
          return expectEventStream(watchBody(response, () => watch.sawBytes()));
        },
      });
      yield* readChunks(
        await client.chat.completions.create(toParams(request), { signal: watch.signal }),
        watch.signal,
      );
    } catch (error) {
      if (stop.aborted) throw error;
      throw toProviderFailure(error, request, watch.signal);
    } finally {
      watch.close();
    }
  };
}

function toParams({
  account,
  model,
  messages,
  temperature,
  maxTokens,
}: ModelRequest): ChatCompletionCreateParamsStreaming {
  // OpenAI's reasoning models take no other name for the limit; most other servers know only the older one.
  const limit = account.providerType === 'openai' ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    temperature,
    ...limit,
    stream: true,
    stream_options: { include_usage: true },
  };
}

async function* readChunks(
  chunks: AsyncIterable<ChatCompletionChunk>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const characters = new WholeCharacters();
  let reason: EndReason | undefined;
  for await (const chunk of chunks) {
    const choice = firstChoice(chunk);
    const text = characters.take(textOf(choice?.delta));
    if (text !== '') yield { type: 'text', text };
    if (typeof choice?.finish_reason === 'string') reason = toEndReason(choice.finish_reason);
    const usage = toUsage(chunk?.usage);
    if (usage !== undefined) yield { type: 'usage', usage };
  }
  signal.throwIfAborted();
  if (reason === undefined) throw new ProviderFailure('closed the connection before its answer was complete');
  if (characters.rest() !== '') yield { type: 'text', text: characters.rest() };
  yield { type: 'end', reason };
}

// Servers send what the published types do not allow: no chunk at all, no choices, further choices nobody asked for.
function firstChoice(chunk: ChatCompletionChunk | null | undefined) {
  const choices: unknown = chunk?.choices;
  if (!Array.isArray(choices)) return undefined;
  return (choices as ChatCompletionChunk['choices']).find(({ index }) => (index ?? 0) === 0);
}

/** What a delta says. Mistral sends parts of a content that thinks, OpenAI a refusal in a field of its own. */
function textOf(delta: unknown): string {
  const { content, refusal } = (delta ?? {}) as { content?: unknown; refusal?: unknown };
  if (typeof content === 'string' && content !== '') return content;
  if (Array.isArray(content)) return content.map(partText).join('');
  return typeof refusal === 'string' ? refusal : '';
}

function partText(part: unknown): string {
  const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
  return type === 'text' && typeof text === 'string' ? text : '';
}

function toEndReason(reason: string): EndReason {
  // OpenRouter's word for an upstream provider that failed in the middle.
  if (reason === 'error') throw new ProviderFailure('broke its answer off because of an error of its own');
  return reason === 'length' || reason === 'content_filter' ? reason : 'done';
}

function toUsage(usage: ChatCompletionChunk['usage']) {
  const inputTokens = usage?.prompt_tokens;
  const outputTokens = usage?.completion_tokens;
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined;
  return { inputTokens, outputTokens, estimated: false };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 31;
}

function toProviderFailure(error: unknown, request: ModelRequest, signal: AbortSignal): ProviderFailure {
  const reason: unknown = signal.aborted ? signal.reason : undefined;
  const what = reason instanceof CallTimeout ? reason.message : describeFailure(error, request);
  return new ProviderFailure(`${request.account.name} ${what}`, { cause: error });
}
