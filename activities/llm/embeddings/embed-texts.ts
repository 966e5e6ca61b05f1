import type { EmbeddingFormatName } from '../../../builtin/index.ts';
import { MAX_DIMENSIONS } from '../../../domain/embeddings/index.ts';
import { estimateTokens } from '../../../domain/transcripts/index.ts';
import type { RequestStream } from '../../core/network/guarded-fetch.ts';
import { RequestBody } from '../../core/network/request-body.ts';
import { toProviderFailure } from '../failures/describe-failure.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { readReportedError } from '../failures/reported-error.ts';
import type { StreamedResponse } from '../../core/network/streamed-response.ts';
import type { ChosenModel } from '../model-of-account.ts';
import type { ProviderRequest } from '../wire-format.ts';
import { CallDeadline, type CallLimits } from '../transport/call-limits.ts';
import { expectDocument } from '../transport/expect-answer.ts';
import type { AccountSignIn } from '../sign-in/sign-in.ts';
import { sendRequest } from '../transport/send-request.ts';
import type { EmbeddingFormat, EmbeddingRequest } from './embedding-format.ts';
import { geminiEmbeddings } from './gemini-embeddings.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { readVectors } from './read-vectors.ts';

/** The texts that one call takes: their vectors are held whole, as text and as numbers. */
export const MAX_TEXTS = 32;

/** More than the vectors of one call have numbers. */
const LIMITS = { maxValues: MAX_TEXTS * (MAX_DIMENSIONS + 100) };

/** The vectors of texts, in their order, and what they cost. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly tokens: number;
}

/** Texts to turn into vectors, at most `MAX_TEXTS`, and what they are for. */
export type TextsToEmbed = Pick<EmbeddingRequest, 'texts' | 'purpose'>;

/** Turns texts into vectors with a model of an account. Throws `ProviderFailure`. */
export type Embed = (chosen: ChosenModel, texts: TextsToEmbed, stop: AbortSignal) => Promise<Embeddings>;

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
