import { findCatalogEntry, type MediaKind, mediaModels, providerCatalog } from '../../../../builtin/index.ts';
import type { Database } from '../../../../db/core/database.ts';
import type { SecretBox } from '../../../../db/core/secret-box.ts';
import { type AccountUser, listUsableAccounts, type TurnAccount } from '../../../../db/providers/for-turn.ts';
import type { StepUsage } from '../../../../db/turns/steps/step.ts';
import { type BilledUsage, costOf, type FindPrice } from '../../../../domain/prices.ts';
import { chooseAccounts } from '../../../../domain/provider-chains.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';
import {
  type AccountUse,
  learnFromFailure,
  learnFromSuccess,
  noteAccountUse,
  statesOf,
} from '../../../llm/model-candidates.ts';
import {
  type AnsweredImage,
  askForImages,
  askForTranscript,
  type ImageRequest,
  type MediaCall,
  type SpeechRequest,
  type Transcript,
} from '../../../llm/media.ts';
import { type ChosenModel, modelOfAccount } from '../../../llm/model-of-account.ts';
import { type FailureKind, ProviderFailure } from '../../../llm/failures/provider-failure.ts';
import { ToolFailure, type ToolFailureClass } from '../../tool-failure.ts';
import { KeyedSemaphore } from '../../../../domain/core/keyed-semaphore.ts';
import { type GuardedHttp, HttpFailure } from '../../../core/network/guarded-http.ts';

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
  /** Generates pictures, or changes one; returns their bytes, in any format. */
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

// Keyed by payer. Each keeps a file or an answer of tens of megabytes in memory, for as long as the provider takes.
const slots = new KeyedSemaphore({
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
      slots.run(
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
      slots.run(
        await deps.database.payers.of(scope.orgId),
        async () => {
          const hasTimestamps = options.timestamps;
          const wanted = { kind: 'transcription', account, model, hasTimestamps, isRepeatable: true } as const;
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

/** The dependencies of requests for pictures and transcripts to an organization's accounts. */
interface AccountsDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly accountUse: AccountUse;
  readonly findPrice: FindPrice;
}

/** For whom a call works, and where what it has used is noted. */
interface MediaScope extends AccountUser {
  readonly noteUsage: (usage: StepUsage) => void;
}

/** The requested media. */
interface WantedMedia {
  readonly kind: MediaKind;
  /** The id or the name of an account; any that may be used unless given. */
  readonly account: string | undefined;
  /** The first known one of the account's provider unless given. */
  readonly model: string | undefined;
  readonly hasTimestamps?: boolean;
  /** Whether a call that may have been done can be made again with another account. */
  readonly isRepeatable: boolean;
}

interface Candidate {
  readonly account: TurnAccount;
  readonly model: string;
}

const THINGS: Readonly<Record<MediaKind, string>> = { image: 'pictures', transcription: 'speech' };

/**
 * Asks an account that the user may use: the one first that was used longest ago, and the next one when that fails
 * without having done anything. Notes what the call has used, and what a failure means for the account. Throws
 * `ToolFailure`.
 */
async function askForMedia<T extends { readonly usage: BilledUsage }>(
  deps: AccountsDeps,
  scope: MediaScope,
  wanted: WantedMedia,
  { ask, signal }: { readonly ask: (chosen: ChosenModel) => Promise<T>; readonly signal: AbortSignal },
): Promise<T> {
  const usable = await retryWhileDatabaseUnavailable(signal, async () => listUsableAccounts(deps.database, scope));
  const candidates = candidatesAmong(usable, wanted);
  const { ready, coolingUntil } = inOrder(deps, candidates);
  let last: ToolFailure | undefined;
  for (const { account, model } of ready) {
    try {
      noteAccountUse(deps, account);
      const answer = await ask(modelOfAccount(deps.box, account, model));
      learnFromSuccess(deps.database, account);
      scope.noteUsage(usageOf(deps, { account, model }, answer.usage));
      return answer;
    } catch (error) {
      if (!(error instanceof ProviderFailure) || signal.aborted) throw error;
      await learnFromFailure(deps.database, account, error);
      last = failureOf(error, wanted);
      if (last.isUncertain || error.kind === 'rejected') throw last;
    }
  }
  throw last ?? busyFailure(coolingUntil);
}

function candidatesAmong(usable: readonly TurnAccount[], { kind, account, model, hasTimestamps }: WantedMedia) {
  const named = account === undefined ? usable : usable.filter((each) => isNamed(each, account));
  if (account !== undefined && named.length === 0)
    throw new ToolFailure('not_found', `There is no provider account "${account}" that your user may use`);
  const candidates = named.flatMap((each): Candidate[] => {
    const known = mediaModels(each.providerType).find(
      (one) => one.kind === kind && (!hasTimestamps || one.hasTimestamps),
    );
    // Without a name of its own, an account of any provider could be asked for a model that it does not have.
    const chosen = account === undefined ? known?.name : (model ?? known?.name);
    return chosen === undefined ? [] : [{ account: each, model: chosen }];
  });
  if (candidates.length > 0) return candidates;
  const types = providerCatalog.filter(({ key }) => mediaModels(key).some((one) => one.kind === kind));
  const names = types.map(({ key }) => findCatalogEntry(key)?.name ?? key).join(', ');
  const times = hasTimestamps === true ? ' that tells times' : '';
  throw new ToolFailure(
    'denied',
    `No provider account that your user may use has a known model for ${THINGS[kind]}${times}. There are such models of ${names}; for another account give provider_id and model. An administrator can add an account`,
  );
}

function isNamed({ id, name }: TurnAccount, wanted: string): boolean {
  const key = wanted.trim().toLowerCase();
  return id === key || name.toLowerCase() === key;
}

function inOrder(deps: AccountsDeps, candidates: readonly Candidate[]) {
  const accounts = candidates.map(({ account }) => account);
  const types = [...new Set(accounts.map(({ providerType }) => providerType))];
  const steps = types.map((providerType) => ({ providerType, modelName: null }));
  const choice = chooseAccounts(statesOf(deps, accounts), steps, Date.now());
  const ready = choice.candidates.flatMap(
    ({ accountId }) => candidates.find(({ account }) => account.id === accountId) ?? [],
  );
  return { ready, coolingUntil: choice.coolingUntil };
}

function usageOf({ findPrice }: AccountsDeps, { account, model }: Candidate, used: BilledUsage): StepUsage {
  const { images: _images, seconds: _seconds, ...tokens } = used;
  const { id: providerAccountId, providerType } = account;
  const cost = costOf(used, findPrice(providerType, model));
  return { ...tokens, estimated: false, model, providerType, providerAccountId, cost };
}

const KINDS: Readonly<Record<FailureKind, ToolFailureClass>> = {
  busy: 'rate_limited',
  credentials: 'denied',
  outage: 'upstream',
  timeout: 'timeout',
  no_tools: 'upstream',
  rejected: 'invalid_input',
};

/** The kinds of failure after which nobody knows whether the provider has done what it was asked for. */
const UNCERTAIN: readonly FailureKind[] = ['outage', 'timeout'];

/** Returns a provider's failure as the model sees it. Its words are those of the provider. */
function failureOf(
  { kind, message, retryAfterMs }: ProviderFailure,
  { isRepeatable }: { readonly isRepeatable: boolean },
): ToolFailure {
  const isUncertain = !isRepeatable && UNCERTAIN.includes(kind);
  const waitMs = kind === 'busy' ? retryAfterMs : undefined;
  return new ToolFailure(KINDS[kind], message, { isUncertain, isForeign: true, waitMs });
}

/** Makes the failure for accounts none of which can be called now. */
function busyFailure(coolingUntil: number | null): ToolFailure {
  if (coolingUntil === null)
    return new ToolFailure('denied', 'Every provider account with such a model is disabled: see the accounts for why');
  const seconds = Math.max(Math.ceil((coolingUntil - Date.now()) / 1000), 1);
  return new ToolFailure(
    'rate_limited',
    `Every provider account with such a model is busy for ${seconds} more seconds`,
    { waitMs: seconds * 1_000 },
  );
}
