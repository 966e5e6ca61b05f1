import { endpoint, withVersion } from '../transport/endpoint.ts';
import { asList, asObject } from '../transport/json.ts';
import type { EmbeddingFormat } from './embedding-format.ts';

const TASKS = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' } as const;

/** The Gemini API as Google publishes it (API reference, `models.batchEmbedContents`); it does not tell of tokens. */
export const geminiEmbeddings: EmbeddingFormat = {
  toHttp: ({ account: { baseUrl = '', apiKey }, model, texts, purpose }) => {
    const name = model.replace(/^models\//, '');
    const taskType = TASKS[purpose];
    const requests = texts.map((text) => ({ model: `models/${name}`, content: { parts: [{ text }] }, taskType }));
    return {
      url: endpoint(withVersion(baseUrl, 'v1beta'), `/models/${encodeURIComponent(name)}:batchEmbedContents`),
      headers: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
      body: { requests },
    };
  },
  read: (answer) => ({
    vectors: asList(asObject(answer)['embeddings']).map((embedding) => asObject(embedding)['values']),
    tokens: undefined,
  }),
};
