import OpenAI, { APIConnectionError, APIError } from 'openai';
import type { ChatCompletionChunk, ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { BlockedAddressError, type GuardedFetch } from '../core/guarded-fetch.ts';
import { type CallLimits, CallTimeout, CallWatch } from './call-limits.ts';
import type { EndReason, ModelAdapter, ModelEvent, ModelRequest } from './model-adapter.ts';
import { ProviderFailure, scrub } from './provider-failure.ts';
import { watchBody } from './watch-body.ts';

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
        fetch: async (url, init) => {
          const response = await fetch(
            url instanceof Request ? url.url : url.toString(),
            init as Parameters<GuardedFetch>[1],
          );
          watch.sawBytes();
          return watchBody(expectEventStream(response), () => watch.sawBytes());
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
  let reason: EndReason | undefined;
  for await (const chunk of chunks) {
    const choice = chunk.choices?.[0];
    const text = choice?.delta?.content;
    if (typeof text === 'string' && text !== '') yield { type: 'text', text };
    if (typeof choice?.finish_reason === 'string') reason = toEndReason(choice.finish_reason);
    const usage = toUsage(chunk.usage);
    if (usage !== undefined) yield { type: 'usage', usage };
  }
  signal.throwIfAborted();
  if (reason === undefined) throw new ProviderFailure('closed the connection before its answer was complete');
  yield { type: 'end', reason };
}

function toEndReason(reason: string): EndReason {
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

function expectEventStream(response: Response): Response {
  if (response.status >= 300 && response.status < 400) {
    throw new ProviderFailure(`answered with a redirect (HTTP ${response.status}), which is not followed`);
  }
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && !type.startsWith('text/event-stream')) {
    throw new ProviderFailure(`answered with "${type.slice(0, 60)}" where a stream of the answer was expected`);
  }
  return response;
}

function toProviderFailure(error: unknown, { account }: ModelRequest, signal: AbortSignal): ProviderFailure {
  return new ProviderFailure(`${account.name} ${describe(error, signal, account.apiKey)}`, { cause: error });
}

function describe(error: unknown, signal: AbortSignal, secret: string | undefined): string {
  const reason: unknown = signal.aborted ? signal.reason : undefined;
  if (reason instanceof CallTimeout) return reason.message;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderFailure) return cause.message;
    if (cause instanceof BlockedAddressError) return `cannot be called: ${cause.message}`;
  }
  if (error instanceof APIConnectionError) return `could not be reached: ${scrub(rootMessage(error), secret)}`;
  if (error instanceof APIError) return describeStatus(error, secret);
  if (error instanceof SyntaxError) return 'sent something that is not a streamed chat completion';
  return `closed the connection before its answer was complete (${scrub(rootMessage(error), secret)})`;
}

function describeStatus(error: APIError, secret: string | undefined): string {
  const detail = scrub(error.message, secret);
  switch (error.status) {
    case undefined:
      return `reported an error in its answer: ${detail}`;
    case 401:
    case 403:
      return `refused the credentials: ${detail}. Check the account's API key`;
    case 402:
    case 429:
      return `has no capacity left for this account: ${detail}. Try again later`;
    default:
      return error.status >= 500 ? `failed: ${detail}. Try again later` : `refused the request: ${detail}`;
  }
}

function rootMessage(error: unknown): string {
  let message = 'unknown error';
  for (let cause = error; cause instanceof Error; cause = cause.cause) message = cause.message || message;
  return message;
}
