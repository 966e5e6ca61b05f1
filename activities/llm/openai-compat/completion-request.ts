import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { z } from 'zod';
import type { ModelMessage, ToolDefinition } from '../../../domain/transcripts/model-message.ts';
import { toWireName } from '../../../domain/transcripts/render-turn.ts';
import type { ModelRequest } from '../model-adapter.ts';
import type { AssistantMessage } from '../reply-layout.ts';
import { keyHeaders } from '../sign-in.ts';
import { endpoint } from '../transport/expect-answer.ts';
import { asObject } from '../transport/json.ts';
import type { ModelQuirks, ProviderRequest } from '../wire-format.ts';

/** Builds the request for a streamed chat completion. */
export function toCompletionRequest(request: ModelRequest, quirks: ModelQuirks): ProviderRequest {
  const { account } = request;
  return {
    url: endpoint(account.baseUrl ?? '', '/chat/completions'),
    headers: keyHeaders(account),
    body: toStreamedCompletion(request, quirks),
  };
}

function toStreamedCompletion(request: ModelRequest, quirks: ModelQuirks): ChatCompletionCreateParamsStreaming {
  return {
    ...toCompletion(request, quirks),
    stream: true,
    ...(quirks.rejectsStreamOptions ? {} : { stream_options: { include_usage: true } }),
  };
}

/** Returns the parameters of a completion that is not streamed. */
export function toCompletion(request: ModelRequest, quirks: ModelQuirks): ChatCompletionCreateParamsNonStreaming {
  const { model, tools, temperature, maxTokens } = request;
  return {
    model,
    messages: toMessages(request, quirks),
    ...(quirks.rejectsTemperature ? {} : { temperature }),
    ...(quirks.wantsCompletionLimit ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    // Several servers reject an empty list.
    ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
  };
}

function toTool({ name, description, parameters }: ToolDefinition) {
  return { type: 'function' as const, function: { name, description, parameters: { ...parameters } } };
}

function toMessages(request: ModelRequest, quirks: ModelQuirks): ChatCompletionMessageParam[] {
  const toId = idWriter(request);
  return request.messages.map((message) => toMessage(message, request.model, { toId, quirks }));
}

type UserMessage = Extract<ModelMessage, { role: 'user' }>;

interface MessageContext {
  readonly toId: (id: string) => string;
  readonly quirks: ModelQuirks;
}

function toMessage(message: ModelMessage, model: string, { toId, quirks }: MessageContext): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: toId(message.callId), content: message.content };
  }
  if (message.role === 'system') return { role: 'system', content: message.content };
  if (message.role === 'user') return { role: 'user', content: toContent(message) };
  return toAssistant(message, quirks.rejectsState ? { reasoning: '', extras: [] } : stateOf(message, model), toId);
}

// A text alone stays a text: several servers take nothing else.
function toContent({ content, images = [] }: UserMessage): string | ChatCompletionContentPart[] {
  if (images.length === 0) return content;
  const pictures = images.map(({ mediaType, data }) => ({
    type: 'image_url' as const,
    image_url: { url: `data:${mediaType};base64,${data}` },
  }));
  return [...pictures, { type: 'text', text: content }];
}

function toAssistant(
  { content, toolCalls = [] }: AssistantMessage,
  { reasoning, extras }: ReturnType<typeof stateOf>,
  toId: (id: string) => string,
): ChatCompletionMessageParam {
  if (toolCalls.length === 0) return { role: 'assistant', content };
  const calls = toolCalls.map((call, at): ChatCompletionMessageFunctionToolCall => {
    const extra = extras[at] ?? undefined;
    const called = { name: toWireName(call.name), arguments: JSON.stringify(call.arguments) };
    return {
      id: toId(call.id),
      type: 'function',
      function: called,
      ...(extra === undefined ? {} : { extra_content: extra }),
    };
  });
  const thought = reasoning === '' ? {} : { reasoning_content: reasoning };
  return { role: 'assistant', content: content === '' ? null : content, tool_calls: calls, ...thought };
}

/** Returns how to write ids of calls: unchanged, except that Mistral accepts only nine letters and digits. */
function idWriter({ account }: ModelRequest): (id: string) => string {
  if (account.providerType !== 'mistral') return (id) => id;
  const numbers = new Map<string, number>();
  return (id) => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return `call${String(number).padStart(5, '0')}`;
  };
}

/** The catalog's word for this wire format. */
const OPENAI_COMPAT = 'openai_compat';

/** The longest reasoning that is kept to be sent back, in characters. */
export const MAX_REASONING_CHARACTERS = 400_000;

const stateSchema = z.object({
  model: z.string(),
  /** DeepSeek and Moonshot reject a reply with calls that comes back without its reasoning. */
  reasoning: z.string(),
  /** Google's signatures, one for each call; null for none. */
  extras: z.array(z.unknown()),
});

/** The data that some of these providers want back with a reply that called tools. */
type CompletionState = z.infer<typeof stateSchema>;

/** Returns the state to keep, or undefined when nothing has to be sent back. */
export function toCompletionState(state: CompletionState): CompletionState | undefined {
  const isLong = state.reasoning.length > MAX_REASONING_CHARACTERS;
  const kept = isLong ? { ...state, reasoning: '' } : state;
  return kept.reasoning === '' && kept.extras.every((extra) => extra === null) ? undefined : kept;
}

/** Returns what a reply's state adds to its message and to each of its calls. */
function stateOf({ state }: AssistantMessage, model: string): Pick<CompletionState, 'reasoning' | 'extras'> {
  const known = stateSchema.safeParse(state?.streamType === OPENAI_COMPAT ? state.data : undefined);
  return known.success && known.data.model === model ? known.data : { reasoning: '', extras: [] };
}

/** Turns a whole completion into the one chunk of an equivalent stream; undefined when it is no completion. */
export function splitCompletion(answer: unknown): readonly unknown[] | undefined {
  const { choices } = asObject(answer);
  if (!Array.isArray(choices)) return undefined;
  const asDeltas = choices.map((choice: unknown) => ({ delta: asObject(choice)['message'], ...asObject(choice) }));
  return [{ ...asObject(answer), choices: asDeltas }];
}
