import type { EmbeddingFormatName } from '../../builtin/index.ts';
import { MAX_DIMENSIONS } from '../../domain/embeddings.ts';
import { estimateTokens } from '../../domain/transcripts/model-message.ts';
import { RequestBody, type RequestStream, type StreamedResponse } from '../core/network/guarded-fetch.ts';
import { toProviderFailure } from './failures/describe-failure.ts';
import { ProviderFailure } from './failures/provider-failure.ts';
import { readReportedError } from './failures/reported-error.ts';
import type { ModelAccount } from './model-adapter.ts';
import type { ChosenModel } from './model-of-account.ts';
import { type AccountSignIn, keyHeaders } from './sign-in.ts';
import { endpoint, expectDocument, misdirected, sendRequest, withVersion } from './transport/expect-answer.ts';
import { CallDeadline, type CallLimits } from './transport/call-limits.ts';
import { asCount, asList, asObject } from './transport/json.ts';
import type { ProviderRequest } from './wire-format.ts';

/** How many texts one call takes: their vectors are in memory as a whole, as text and as numbers. */
export const MAX_TEXTS = 32;

/** More than the vectors of one call have numbers. */
const LIMITS = { maxValues: MAX_TEXTS * (MAX_DIMENSIONS + 100) };

/** The vectors of texts, in their order, and what they cost. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly tokens: number;
}

/** Texts to embed, at most `MAX_TEXTS`, and their purpose. */
export type TextsToEmbed = Pick<EmbeddingRequest, 'texts' | 'purpose'>;

/** Turns texts into vectors with a model of an account. Throws `ProviderFailure`. */
export type Embed = (chosen: ChosenModel, texts: TextsToEmbed, stop: AbortSignal) => Promise<Embeddings>;

/**
 * Embeddings as OpenAI publishes them (API reference, "Create embeddings"), which Ollama, vLLM, LM Studio and most
 * other providers serve too. Numbers are asked for as such: not all know them as base64.
 */
const openaiEmbeddings: EmbeddingFormat = {
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

const TASKS = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' } as const;

/** The Gemini API as Google publishes it (API reference, `models.batchEmbedContents`); it reports no tokens. */
const geminiEmbeddings: EmbeddingFormat = {
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

const FORMATS: Readonly<Record<EmbeddingFormatName, EmbeddingFormat>> = {
  gemini: geminiEmbeddings,
  openai_compat: openaiEmbeddings,
};
const formats: ReadonlyMap<string, EmbeddingFormat> = new Map(Object.entries(FORMATS));

/** Makes what turns texts into vectors. It makes each call once, and takes nothing of the answer on trust. */
export function createEmbed(requestStream: RequestStream, limits: CallLimits, signIns: AccountSignIn): Embed {
  return async ({ account, model, streamType }, { texts, purpose }, stop) => {
    const request = { account, model, texts, purpose };
    const deadline = new CallDeadline(limits, stop);
    try {
      const format = formats.get(streamType);
      if (format === undefined) throw new ProviderFailure('offers no embeddings: choose a model of another provider');
      const response = await signIns.using(account, deadline.signal, async (signedIn) =>
        send(requestStream, format.toHttp({ ...request, account: signedIn }), deadline.signal),
      );
      const { vectors, tokens } = format.read(await expectDocument(response, LIMITS));
      return { vectors: readVectors(vectors, texts.length), tokens: tokens ?? estimated(texts) };
    } catch (error) {
      if (stop.aborted) throw error;
      throw toProviderFailure(error, request, deadline.signal.reason);
    } finally {
      deadline.close();
    }
  };
}

async function send(
  requestStream: RequestStream,
  { url, headers, body }: ProviderRequest,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  const response = await sendRequest(requestStream, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: new RequestBody(Buffer.from(JSON.stringify(body))),
    signal,
  });
  if (response.status >= 400) throw await readReportedError(response);
  return response;
}

function estimated(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** Texts that a model is to turn into vectors. */
interface EmbeddingRequest {
  readonly account: ModelAccount;
  readonly model: string;
  readonly texts: readonly string[];
  /** Whether the texts are searched or are queries: some models treat them differently. */
  readonly purpose: 'document' | 'query';
}

/** The answer of a provider, not validated. */
interface EmbeddingAnswer {
  /** In the order of the texts. */
  readonly vectors: readonly unknown[];
  /** Undefined when the provider does not say. */
  readonly tokens: number | undefined;
}

/** A family of providers: how to ask for vectors, and how to read what they answer. */
interface EmbeddingFormat {
  readonly toHttp: (request: EmbeddingRequest) => ProviderRequest;
  /** Throws `ProviderFailure` when the answer does not say which vector is of which text. */
  readonly read: (answer: unknown) => EmbeddingAnswer;
}

// Some servers leave the indexes out and keep the order; others may answer in any order.
function inOrder(items: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] {
  if (items.every(({ index }) => index === undefined)) return items.map(({ embedding }) => embedding);
  const byIndex = new Map(items.map(({ index, embedding }) => [index, embedding]));
  const indexes = items.map((_, index) => index);
  if (!indexes.every((index) => byIndex.has(index)))
    throw misdirected('does not say which embedding belongs to which text');
  return indexes.map((index) => byIndex.get(index));
}

/**
 * Returns what a provider answers as vectors: one for each text, all of as many dimensions, each of them finite and
 * longer than nothing. Throws `ProviderFailure` for anything else.
 */
function readVectors(answered: readonly unknown[], texts: number): readonly (readonly number[])[] {
  if (answered.length !== texts) throw broken(`answered ${answered.length} embeddings for ${texts} texts`);
  const vectors = answered.map(readVector);
  const dimensions = new Set(vectors.map(({ length }) => length));
  if (dimensions.size > 1)
    throw broken(`answered embeddings of different dimensions (${[...dimensions].slice(0, 5).join(', ')})`);
  return vectors;
}

function readVector(answered: unknown): readonly number[] {
  if (!Array.isArray(answered) || !answered.every((value) => typeof value === 'number' && Number.isFinite(value)))
    throw broken('answered an embedding that is no list of numbers');
  const vector: readonly number[] = answered;
  if (vector.length === 0 || vector.length > MAX_DIMENSIONS)
    throw broken(`answered an embedding of ${vector.length} dimensions; 1 to ${MAX_DIMENSIONS} can be stored`);
  const length = Math.hypot(...vector);
  if (!(length > 0) || !Number.isFinite(length)) throw broken('answered an embedding without a direction');
  return vector;
}

function broken(what: string): ProviderFailure {
  return new ProviderFailure(`${what}. Check the model and the account's base_url`, { kind: 'outage' });
}
