import type { SchemaProfile } from '../../../domain/tool-offer/index.ts';
import { asObject } from '../transport/json.ts';
import type { ModelQuirks, ProviderRequest, WireFormat } from '../wire-format.ts';
import { ContentReader } from './content-reader.ts';
import type { ToolDefinition } from '../../../domain/transcripts/index.ts';
import { endpoint, withVersion } from '../transport/endpoint.ts';
import type { ModelRequest } from '../model-adapter.ts';
import { toContents } from './contents.ts';

/** The keywords of `parametersJsonSchema`, as Google lists them. */
const TOOLS: SchemaProfile = {
  maxDescription: 10_000,
  keywords: new Set(
    `type title description format enum minimum maximum properties required additionalProperties
      items minItems maxItems anyOf`.split(/\s+/),
  ),
  formats: new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']),
};

/** The Gemini API as Google publishes it (API reference, `models.streamGenerateContent`, version v1beta). */
export const gemini: WireFormat = {
  answerName: 'content',
  tools: TOOLS,
  toHttp: toContentRequest,
  createReader: ({ model }) => new ContentReader(model),
  // Without server-sent events the API responds with a list of the chunks.
  splitWhole: (answer) => {
    const chunks: unknown[] = Array.isArray(answer) ? answer : [answer];
    const isContent = (chunk: unknown) => 'candidates' in asObject(chunk) || 'promptFeedback' in asObject(chunk);
    return chunks.some(isContent) ? chunks : undefined;
  },
};

/** Builds the request for streamed content. The key goes in a header, because addresses end up in logs. */
function toContentRequest(request: ModelRequest, quirks: ModelQuirks): ProviderRequest {
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
