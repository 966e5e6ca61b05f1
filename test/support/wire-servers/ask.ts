import {
  type ModelAdapter,
  type ModelEvent,
  type ModelRequest,
  type NativeCall,
  withTranscript,
} from '../../../activities/llm/model-adapter.ts';
import { ProviderFailure } from '../../../activities/llm/failures/provider-failure.ts';
import type { ToolDefinition } from '../../../domain/transcripts/model-message.ts';

/** The key of the account that calls. */
export const KEY = 'sk-unit-0123456789abcdef';

/** Limits that no test reaches unless it means to. */
export const LIMITS = { firstByteMs: 100_000, idleMs: 100_000, totalMs: 100_000 };

/** A tool to offer. */
export const TIME_TOOL: ToolDefinition = {
  name: 'time_now',
  description: 'Tells the time.',
  parameters: { type: 'object', properties: { zone: { type: 'string' } }, additionalProperties: false },
};

/** The output of an adapter, by kind. */
export interface Said {
  readonly text: string;
  /** No piece of the text was half a character. */
  readonly isWhole: boolean;
  readonly calls: readonly NativeCall[];
  readonly state: unknown;
  readonly usage: Extract<ModelEvent, { type: 'usage' }>['usage'] | undefined;
  readonly end: string | undefined;
  readonly failure: string | undefined;
  readonly kind: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** Returns a request with one question; `change` says what a test wants otherwise. */
export function buildRequest(
  baseUrl: string,
  change: Partial<ModelRequest> & { readonly providerType?: string } = {},
): ModelRequest {
  const { providerType = 'openai-compatible', ...rest } = change;
  return {
    account: { id: null, name: 'Acme', providerType, baseUrl, apiKey: KEY },
    model: 'acme-1',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    temperature: 0.5,
    maxTokens: 100,
    ...rest,
  };
}

/** Asks and collects all that is said, until the end or a failure of the provider. */
export async function ask(adapter: ModelAdapter, request: ModelRequest): Promise<Said> {
  const events: ModelEvent[] = [];
  let failure: ProviderFailure | undefined;
  try {
    for await (const event of adapter(withTranscript(request), new AbortController().signal)) events.push(event);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    failure = error;
  }
  const texts = events.flatMap((event) => (event.type === 'text' ? event.text : []));
  return {
    text: texts.join(''),
    isWhole: texts.every((text) => text.isWellFormed()),
    calls: events.flatMap((event) => (event.type === 'tool_call' ? event.call : [])),
    state: events.find((event) => event.type === 'state')?.data,
    usage: events.findLast((event) => event.type === 'usage')?.usage,
    end: events.find((event) => event.type === 'end')?.reason,
    failure: failure?.message,
    kind: failure?.kind,
    retryAfterMs: failure?.retryAfterMs,
  };
}
