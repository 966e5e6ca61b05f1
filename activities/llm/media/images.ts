import type { BilledUsage } from '../../../domain/prices/index.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { ChosenModel } from '../model-of-account.ts';
import { asCount, asList, asObject } from '../transport/json.ts';
import { partOf } from '../transport/part-of-usage.ts';
import type { MediaCall } from './media-call.ts';

/** A file for a model. */
export interface MediaFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** What pictures are to show. With an `image`, that one is changed. */
export interface ImageRequest {
  readonly prompt: string;
  readonly n: number;
  readonly size: string | undefined;
  readonly image: MediaFile | undefined;
}

/** A picture as a provider gives it: its bytes, or where they are. */
export type AnsweredImage = { readonly bytes: Buffer } | { readonly url: string };

/** Pictures, and what they have used. */
export interface AnsweredImages {
  readonly images: readonly AnsweredImage[];
  readonly usage: BilledUsage;
}

/**
 * Has pictures made by a model. The request says nothing of how they are to be answered: some models take no
 * `response_format`, and others no other form than theirs.
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
