import type { ToolDefinition } from '../../../domain/transcripts/index.ts';
import { endpoint } from '../transport/endpoint.ts';
import type { ModelRequest } from '../model-adapter.ts';
import type { ModelQuirks, ProviderRequest } from '../wire-format.ts';
import { CACHE_POINT, toConversation } from './conversation.ts';

// Agents may have up to 2, which other providers take.
const MAX_TEMPERATURE = 1;

/** Builds the request for a streamed conversation. A model's id may be an address of AWS with `:` and `/` in it. */
export function toConverseRequest(request: ModelRequest, quirks: ModelQuirks): ProviderRequest {
  const { baseUrl = '' } = request.account;
  return {
    url: endpoint(baseUrl, `/model/${encodeURIComponent(request.model)}/converse-stream`),
    headers: { accept: 'application/vnd.amazon.eventstream' },
    body: toParams(request, quirks),
  };
}

function toParams(request: ModelRequest, quirks: ModelQuirks) {
  const { maxTokens, temperature, tools, model } = request;
  const cached = mayCache(model) && !quirks.rejectsCache ? [CACHE_POINT] : [];
  const system = toSystem(request);
  return {
    messages: toConversation(request, { isWithoutState: quirks.rejectsState, cached }),
    ...(system === '' ? {} : { system: [{ text: system }, ...cached] }),
    ...(tools.length > 0 ? { toolConfig: { tools: tools.map(toTool) } } : {}),
    inferenceConfig: {
      maxTokens,
      ...(quirks.rejectsTemperature ? {} : { temperature: Math.min(temperature, MAX_TEMPERATURE) }),
    },
  };
}

// The models of other labs that cache do so by themselves, or refuse to be told.
function mayCache(model: string): boolean {
  return model.includes('anthropic.claude');
}

function toSystem({ messages }: ModelRequest): string {
  return messages
    .filter(({ role, content }) => role === 'system' && content.trim() !== '')
    .map(({ content }) => content)
    .join('\n\n');
}

function toTool({ name, description, parameters }: ToolDefinition) {
  return { toolSpec: { name, description, inputSchema: { json: parameters } } };
}
