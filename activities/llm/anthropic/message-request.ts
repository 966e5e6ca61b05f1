import { TOOL_DESCRIBE } from '../../../domain/tool-offer/index.ts';
import type { ToolDefinition } from '../../../domain/transcripts/index.ts';
import { endpoint, withVersion } from '../transport/endpoint.ts';
import type { ModelRequest } from '../model-adapter.ts';
import type { ModelQuirks, ProviderRequest } from '../wire-format.ts';
import { type Block, CACHE_HERE, toMessageList } from './message-list.ts';

const API_VERSION = '2023-06-01';
// Agents may have up to 2, which other providers take.
const MAX_TEMPERATURE = 1;

/** Builds the request for a streamed message. */
export function toMessageRequest(request: ModelRequest, quirks: ModelQuirks): ProviderRequest {
  const { baseUrl = '', apiKey } = request.account;
  return {
    url: endpoint(withVersion(baseUrl, 'v1'), '/messages'),
    headers: { 'anthropic-version': API_VERSION, ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) },
    body: toParams(request, quirks),
  };
}

// The provider caches everything before a mark: tools and system prompt, then the conversation so far. Where the offer
// grows with the conversation, the tools that every step has are a part of their own.
function toParams(request: ModelRequest, quirks: ModelQuirks) {
  const { model, maxTokens, temperature, tools } = request;
  const system = toSystem(request);
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system } : {}),
    messages: toMessageList(request, quirks.rejectsState),
    ...(tools.length > 0 ? { tools: toTools(tools, system.length === 0) } : {}),
    ...(quirks.rejectsTemperature ? {} : { temperature: Math.min(temperature, MAX_TEMPERATURE) }),
    stream: true,
  };
}

function toSystem({ messages }: ModelRequest): Block[] {
  const text = messages
    .filter(({ role, content }) => role === 'system' && content.trim() !== '')
    .map(({ content }) => content)
    .join('\n\n');
  return text === '' ? [] : [{ type: 'text', text, ...CACHE_HERE }];
}

function toTools(tools: readonly ToolDefinition[], isMarked: boolean) {
  return tools.map(({ name, description, parameters }, at) => ({
    name,
    description,
    input_schema: parameters,
    ...((isMarked && at === tools.length - 1) || name === TOOL_DESCRIBE.name ? CACHE_HERE : {}),
  }));
}
