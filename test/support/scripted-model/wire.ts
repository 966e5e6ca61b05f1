/**
 * The published wire format of chat completions.
 * Source: OpenAI API reference, "The chat completion chunk object" and "Streaming",
 * https://platform.openai.com/docs/api-reference/chat-streaming/streaming, and the API's OpenAPI description,
 * https://github.com/openai/openai-openapi (CreateChatCompletionStreamResponse, ChatCompletionStreamOptions):
 * with `stream_options.include_usage` one more chunk is sent before `data: [DONE]`; its `choices` is empty, its `usage`
 * holds the numbers, and every other chunk carries `usage: null`.
 */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The part of the prompt that was in the cache. */
  readonly cachedTokens?: number | undefined;
}

export interface CompletionHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export interface WireToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The addition of a chunk to the message. */
export type Delta = Readonly<Record<string, unknown>>;

export const doneData = '[DONE]';

/** Makes one `chat.completion.chunk`; an undefined `usage` is omitted, as the API does unless usage is requested. */
export function chunk(head: CompletionHead, delta: Delta, finishReason: string | null, usage?: Usage | null): string {
  return JSON.stringify({
    ...chunkHead(head),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(usage === undefined ? {} : { usage: usage === null ? null : usageBody(usage) }),
  });
}

/** Returns the last chunk of a stream whose usage was asked for. */
export function usageChunk(head: CompletionHead, usage: Usage): string {
  return JSON.stringify({ ...chunkHead(head), choices: [], usage: usageBody(usage) });
}

/** Returns the answer to a request that does not stream. */
export function completion(
  head: CompletionHead,
  message: { content: string | null; reasoning: string | undefined; toolCalls: readonly WireToolCall[] },
  finishReason: string,
  usage: Usage | undefined,
): string {
  return JSON.stringify({
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: message.content,
          refusal: null,
          ...(message.reasoning === undefined ? {} : { reasoning_content: message.reasoning }),
          ...(message.toolCalls.length === 0 ? {} : { tool_calls: message.toolCalls.map(toolCallBody) }),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    ...(usage === undefined ? {} : { usage: usageBody(usage) }),
    system_fingerprint: 'fp_scripted',
  });
}

/** Returns the error body of every non-2xx answer and of an error inside a stream. */
export function errorBody(message: string, type: string, code: string | null = null): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}

/** Returns the first delta of a tool call; the arguments follow in deltas of their own. */
export function toolCallStart(index: number, call: WireToolCall): Delta {
  return { tool_calls: [{ index, ...toolCallBody({ ...call, arguments: '' }) }] };
}

export function toolCallArguments(index: number, text: string): Delta {
  return { tool_calls: [{ index, function: { arguments: text } }] };
}

function toolCallBody(call: WireToolCall): Delta {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

function chunkHead(head: CompletionHead): Delta {
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    system_fingerprint: 'fp_scripted',
  };
}

function usageBody(usage: Usage): Delta {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    ...(usage.cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: usage.cachedTokens } }),
  };
}
