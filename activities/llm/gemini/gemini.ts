import type { SchemaProfile } from '../../../domain/tool-offer/index.ts';
import { asObject } from '../transport/json.ts';
import type { WireFormat } from '../wire-format.ts';
import { ContentReader } from './content-reader.ts';
import { toContentRequest } from './content-request.ts';

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
