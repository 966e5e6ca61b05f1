import { toStorableText } from '../../domain/core/text.ts';
import type { BilledUsage } from '../../domain/prices.ts';
import type { GuardedFetch } from '../core/network/guarded-fetch.ts';
import { toProviderFailure } from './failures/describe-failure.ts';
import { ProviderFailure } from './failures/provider-failure.ts';
import { readReportedError } from './failures/reported-error.ts';
import type { ChosenModel } from './model-of-account.ts';
import { type AccountSignIn, keyHeaders } from './sign-in.ts';
import { endpoint, expectDocument, sendRequest } from './transport/expect-answer.ts';
import { CallDeadline, type CallLimits } from './transport/call-limits.ts';
import { asCount, asList, asObject, asText, partOf } from './transport/json.ts';

/** The only wire format that is spoken here; of Google's own there are no pictures and no speech. */
const FORMAT = 'openai_compat';

/** A picture may be minutes in the making before the first byte of it comes. */
const MEDIA_LIMITS: CallLimits = { firstByteMs: 180_000, idleMs: 60_000, totalMs: 240_000 };

/** The pictures of a call as Base64 are the largest answers. */
const MAX_ANSWER = { maxBytes: 24 * 1024 * 1024, maxValues: 200_000 };

/** A request in OpenAI's format; a form is sent as such, and all else as JSON. */
interface MediaRequest {
  readonly path: string;
  readonly body: FormData | Readonly<Record<string, unknown>>;
}

/** Calls a model for pictures or speech, once. Throws `ProviderFailure`. */
export type MediaCall = <T>(
  chosen: ChosenModel,
  request: MediaRequest,
  read: (answer: unknown) => T,
  stop: AbortSignal,
) => Promise<T>;

/** Makes what calls models for pictures and speech. */
export function createMediaCall(fetch: GuardedFetch, signIns: AccountSignIn): MediaCall {
  return async ({ account, model, streamType }, { path, body }, read, stop) => {
    const deadline = new CallDeadline(MEDIA_LIMITS, stop);
    try {
      if (streamType !== FORMAT)
        throw new ProviderFailure('offers no pictures and no speech here: choose an account of another provider');
      const isForm = body instanceof FormData;
      const response = await signIns.using(account, deadline.signal, async (signedIn) => {
        const answer = await sendRequest(fetch, endpoint(account.baseUrl ?? '', path), {
          method: 'POST',
          headers: {
            accept: 'application/json',
            ...(!isForm && { 'content-type': 'application/json' }),
            ...keyHeaders(signedIn),
          },
          body: isForm ? body : JSON.stringify(body),
          signal: deadline.signal,
        });
        deadline.sawBytes();
        if (answer.status >= 400) throw await readReportedError(answer);
        return answer;
      });
      return read(await expectDocument(response, MAX_ANSWER));
    } catch (error) {
      if (stop.aborted) throw error;
      throw toProviderFailure(error, { account, model }, deadline.signal.reason);
    } finally {
      deadline.close();
    }
  };
}

/** A file for a model. */
interface MediaFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The content of pictures to generate. With an `image`, that one is changed. */
export interface ImageRequest {
  readonly prompt: string;
  readonly n: number;
  readonly size: string | undefined;
  readonly image: MediaFile | undefined;
}

/** A picture as a provider gives it: its bytes, or where they are. */
export type AnsweredImage = { readonly bytes: Buffer } | { readonly url: string };

/** Pictures, and what they have used. */
interface AnsweredImages {
  readonly images: readonly AnsweredImage[];
  readonly usage: BilledUsage;
}

/**
 * Generates pictures with a model. The request does not name a response format: some models accept no
 * `response_format`, and others only their own.
 */
export async function askForImages(
  call: MediaCall,
  chosen: ChosenModel,
  { prompt, n, size, image }: ImageRequest,
  stop: AbortSignal,
): Promise<AnsweredImages> {
  const fields = { model: chosen.model, prompt, n, ...(size !== undefined && { size }) };
  const read = (answer: unknown) => readImages(answer, n);
  if (image === undefined) return call(chosen, { path: '/images/generations', body: fields }, read, stop);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set('image', new Blob([new Uint8Array(image.bytes)], { type: 'image/png' }), image.name);
  return call(chosen, { path: '/images/edits', body: form }, read, stop);
}

function readImages(answer: unknown, wanted: number): AnsweredImages {
  const { data, usage } = asObject(answer);
  const images = asList(data).slice(0, wanted).map(readImage);
  if (images.length === 0) throw new ProviderFailure('answered without a picture', { kind: 'outage' });
  const { input_tokens: input, output_tokens: output, input_tokens_details: details } = asObject(usage);
  const cached = asCount(asObject(details)['cached_tokens']);
  return {
    images,
    usage: {
      inputTokens: asCount(input) ?? 0,
      outputTokens: asCount(output) ?? 0,
      images: images.length,
      ...partOf('cachedInputTokens', cached),
    },
  };
}

function readImage(item: unknown): AnsweredImage {
  const { b64_json: base64, url } = asObject(item);
  if (typeof base64 === 'string' && base64 !== '') return { bytes: Buffer.from(base64, 'base64') };
  if (typeof url === 'string' && url !== '') return { url };
  throw new ProviderFailure('answered with something that is no picture', { kind: 'outage' });
}

/** Speech that is to become text. */
export interface SpeechRequest {
  readonly file: MediaFile;
  /** Two letters (ISO 639-1); the model finds out unless given. */
  readonly language: string | undefined;
  /** Words and names that occur in it. */
  readonly prompt: string | undefined;
  readonly timestamps: boolean;
}

/** A part of a transcript, with its times in seconds. */
interface TranscriptPart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The spoken text, and the usage of the call. */
export interface Transcript {
  readonly text: string;
  /** As the provider names it; undefined when it does not say. */
  readonly language: string | undefined;
  readonly seconds: number | undefined;
  readonly parts: readonly TranscriptPart[] | undefined;
  readonly usage: BilledUsage;
}

/** More than a file of 25 MB has sentences. */
const MAX_PARTS = 20_000;

/** Turns speech into text with a model. */
export async function askForTranscript(
  call: MediaCall,
  chosen: ChosenModel,
  { file, language, prompt, timestamps }: SpeechRequest,
  stop: AbortSignal,
): Promise<Transcript> {
  const form = new FormData();
  form.set('model', chosen.model);
  form.set('file', new Blob([new Uint8Array(file.bytes)]), file.name);
  form.set('response_format', timestamps ? 'verbose_json' : 'json');
  if (timestamps) form.append('timestamp_granularities[]', 'segment');
  if (language !== undefined) form.set('language', language);
  if (prompt !== undefined) form.set('prompt', prompt);
  return call(chosen, { path: '/audio/transcriptions', body: form }, readTranscript, stop);
}

function readTranscript(answer: unknown): Transcript {
  const { text, language, duration, segments, usage } = asObject(answer);
  if (typeof text !== 'string') throw new ProviderFailure('answered without a transcript', { kind: 'outage' });
  const { input_tokens: input, output_tokens: output, seconds: billed } = asObject(usage);
  const seconds = asSeconds(billed) ?? asSeconds(duration);
  return {
    text: toStorableText(text),
    language: typeof language === 'string' ? toStorableText(language).slice(0, 50) : undefined,
    seconds,
    parts: Array.isArray(segments) ? asList(segments).slice(0, MAX_PARTS).map(readPart) : undefined,
    usage: {
      inputTokens: asCount(input) ?? 0,
      outputTokens: asCount(output) ?? 0,
      ...(seconds !== undefined && { seconds }),
    },
  };
}

function readPart(segment: unknown): TranscriptPart {
  const { start, end, text } = asObject(segment);
  return { start: asSeconds(start) ?? 0, end: asSeconds(end) ?? 0, text: toStorableText(asText(text)).trim() };
}

// Some servers send the duration as a text.
function asSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
