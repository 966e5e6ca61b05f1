import {
  type AnsweredImage,
  askForImages,
  askForTranscript,
  type ChosenModel,
  type ImageRequest,
  type MediaCall,
  type SpeechRequest,
  type Transcript,
} from '../../../llm/index.ts';
import { KeyedSemaphore } from '../../../../domain/core/keyed-semaphore.ts';
import { type GuardedHttp, HttpFailure } from '../../../core/network/guarded-http.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { type AccountsDeps, askForMedia, type MediaScope } from './ask-for-media.ts';

/** An account and a model that are wanted: any that may be used unless given. */
interface WantedModel {
  /** The id or the name of a provider account. */
  readonly account: string | undefined;
  /** For an account whose provider has no known one. */
  readonly model: string | undefined;
}

/**
 * Models for pictures and speech, by the provider accounts that the user of a call may use. What a call has used counts
 * as usage of its turn. Throws `ToolFailure` with a message for the model.
 */
export interface UserMedia {
  /** Has pictures made, or one changed; returns their bytes, of whatever format. */
  generateImages(request: ImageRequest & WantedModel): Promise<readonly Buffer[]>;
  /** The file is read when the call has its turn. */
  transcribe(
    request: Omit<SpeechRequest, 'file'> & WantedModel & { readonly readFile: () => Promise<SpeechRequest['file']> },
  ): Promise<Transcript>;
}

interface MediaDeps extends AccountsDeps {
  readonly http: GuardedHttp;
  readonly callMedia: MediaCall;
}

// Keyed by payer. Each holds a file or an answer of tens of megabytes, for as long as the provider takes.
const places = new KeyedSemaphore({
  perKey: 2,
  total: 8,
  maxWaiting: 20,
  createError: () =>
    new ToolFailure('rate_limited', 'Too many pictures and transcripts are being made; try again later'),
});

/** The size of one picture, in bytes: more than is processed. */
const MAX_IMAGE_BYTES = 15_000_000;
const LINK_TIMEOUT_MS = 60_000;

/** Returns the models for pictures and speech that the user of a call may use, until the signal aborts. */
export function userMedia(deps: MediaDeps, scope: MediaScope, signal: AbortSignal): UserMedia {
  return {
    generateImages: async ({ account, model, ...request }) =>
      places.hold(
        await deps.database.payers.of(scope.orgId),
        async () => {
          const wanted = { kind: 'image', account, model, isRepeatable: false } as const;
          const ask = async (chosen: ChosenModel) => askForImages(deps.callMedia, chosen, request, signal);
          const { images } = await askForMedia(deps, scope, wanted, { ask, signal });
          return Promise.all(images.map(async (image) => bytesOf(deps.http, image, signal)));
        },
        { signal },
      ),
    transcribe: async ({ account, model, readFile, ...options }) =>
      places.hold(
        await deps.database.payers.of(scope.orgId),
        async () => {
          const tellsTimes = options.timestamps;
          const wanted = { kind: 'transcription', account, model, tellsTimes, isRepeatable: true } as const;
          const request = { ...options, file: await readFile() };
          const ask = async (chosen: ChosenModel) => askForTranscript(deps.callMedia, chosen, request, signal);
          return askForMedia(deps, scope, wanted, { ask, signal });
        },
        { signal },
      ),
  };
}

async function bytesOf(http: GuardedHttp, image: AnsweredImage, signal: AbortSignal): Promise<Buffer> {
  if ('bytes' in image) {
    if (image.bytes.length > MAX_IMAGE_BYTES) throw tooLarge();
    return image.bytes;
  }
  try {
    const { status, body, isTruncated } = await http.request({
      url: image.url,
      method: 'GET',
      headers: { accept: 'image/*' },
      followRedirects: true,
      timeoutMs: LINK_TIMEOUT_MS,
      maxBytes: MAX_IMAGE_BYTES,
      signal,
    });
    if (status !== 200) throw madeButLost(`its address answered with status ${status}`);
    if (isTruncated) throw tooLarge();
    return body;
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    throw madeButLost(error.message);
  }
}

function tooLarge(): ToolFailure {
  return madeButLost(`it is larger than ${MAX_IMAGE_BYTES / 1_000_000} MB`);
}

function madeButLost(why: string): ToolFailure {
  return new ToolFailure('upstream', `A picture was made, but could not be fetched: ${why}`, { isForeign: true });
}
