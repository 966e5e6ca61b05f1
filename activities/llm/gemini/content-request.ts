import type { ToolDefinition } from '../../../domain/transcripts/index.ts';
import { endpoint, withVersion } from '../transport/endpoint.ts';
import type { ModelRequest } from '../model-adapter.ts';
import type { ModelQuirks, ProviderRequest } from '../wire-format.ts';
import { toContents } from './contents.ts';

/** Builds the request for streamed content. The key goes in a header, because addresses end up in logs. */
export function toContentRequest(request: ModelRequest, quirks: ModelQuirks): ProviderRequest {
  const { baseUrl = '', apiKey } = request.account;
  const path = `/models/${encodeURIComponent(request.model.replace(/^models\//, ''))}:streamGenerateContent`;
  return {
    url: endpoint(withVersion(baseUrl, 'v1beta'), path, { alt: 'sse' }),
    headers: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
    body: toParams(request, quirks),
  };
}

function toParams(request: ModelRequest, quirks: ModelQuirks) {
  const { maxTokens, temperature, tools } = request;
  const system = toSystem(request);
  return {
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: toContents(request, quirks.rejectsState),
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(toDeclaration) }] } : {}),
    generationConfig: { maxOutputTokens: maxTokens, ...(quirks.rejectsTemperature ? {} : { temperature }) },
  };
}

function toSystem({ messages }: ModelRequest): string {
  const texts = messages.filter(({ role, content }) => role === 'system' && content.trim() !== '');
  return texts.map(({ content }) => content).join('\n\n');
}

// `parametersJsonSchema` takes JSON Schema as it is; the older `parameters` takes only a subset.
function toDeclaration({ name, description, parameters }: ToolDefinition) {
  return { name, description, parametersJsonSchema: parameters };
}
