import { misdirected } from '../transport/expect-answer.ts';
import { endpoint } from '../transport/endpoint.ts';
import { asCount, asList, asObject } from '../transport/json.ts';
import { keyHeaders } from '../sign-in/key-headers.ts';
import type { EmbeddingFormat } from './embedding-format.ts';

/**
 * Embeddings as OpenAI publishes them (API reference, "Create embeddings"), which Ollama, vLLM, LM Studio and most
 * other providers serve too. Numbers are asked for as such: not all know them as base64.
 */
export const openaiEmbeddings: EmbeddingFormat = {
  toHttp: ({ account, model, texts }) => ({
    url: endpoint(account.baseUrl ?? '', '/embeddings'),
    headers: keyHeaders(account),
    body: { model, input: texts, encoding_format: 'float' },
  }),
  read: (answer) => {
    const { data, usage } = asObject(answer);
    const { prompt_tokens: prompt, total_tokens: total } = asObject(usage);
    return { vectors: inOrder(asList(data).map(asObject)), tokens: asCount(prompt) ?? asCount(total) };
  },
};

// Some servers leave the places out and keep the order; others may answer in any order.
function inOrder(items: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] {
  if (items.every(({ index }) => index === undefined)) return items.map(({ embedding }) => embedding);
  const byPlace = new Map(items.map(({ index, embedding }) => [index, embedding]));
  const places = items.map((_, place) => place);
  if (!places.every((place) => byPlace.has(place))) throw misdirected('does not say which embedding is of which text');
  return places.map((place) => byPlace.get(place));
}
