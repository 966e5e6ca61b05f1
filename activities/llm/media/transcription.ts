import { toStorableText } from '../../../domain/core/text.ts';
import type { BilledUsage } from '../../../domain/prices/index.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { ChosenModel } from '../model-of-account.ts';
import { asCount, asList, asObject, asText } from '../transport/json.ts';
import type { MediaFile } from './images.ts';
import type { MediaCall } from './media-call.ts';

/** Speech that is to become text. */
export interface SpeechRequest {
  readonly file: MediaFile;
  /** Two letters (ISO 639-1); the model finds out unless given. */
  readonly language: string | undefined;
  /** Words and names that are said in it. */
  readonly prompt: string | undefined;
  readonly timestamps: boolean;
}

/** A part of a transcript, with its times in seconds. */
export interface TranscriptPart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What was said, and what the call has used. */
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

// Some servers tell the duration as a text.
function asSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
