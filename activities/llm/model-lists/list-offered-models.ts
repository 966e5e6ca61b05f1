import type { OfferedModel } from '../../../workflows/short/contract.ts';
import type { GuardedFetch } from '../../core/network/guarded-fetch.ts';
import { toProviderFailure } from '../failures/describe-failure.ts';
import { ProviderFailure, scrub } from '../failures/provider-failure.ts';
import { readReportedError, ReportedError } from '../failures/reported-error.ts';
import type { ModelAccount } from '../model-adapter.ts';
import type { ChosenModel } from '../model-of-account.ts';
import { secretsOf } from '../sign-in/secrets-of.ts';
import type { AccountSignIn } from '../sign-in/sign-in.ts';
import { expectDocument, misdirected } from '../transport/expect-answer.ts';
import { sendRequest } from '../transport/send-request.ts';
import { modelListFormats } from './formats.ts';
import type { ModelListFormat } from './model-list-format.ts';

const MAX_MODELS = 1_000;
/** Gateways tell fifty facts about each of some hundred models. */
const LIMITS = { maxValues: 200_000 };

/** Returns the models that an account says it offers, sorted by id. Throws `ProviderFailure`. */
export type ListOfferedModels = (chosen: ChosenModel, stop: AbortSignal) => Promise<readonly OfferedModel[]>;

/** Makes what asks accounts for their models. */
export function createListOfferedModels(fetch: GuardedFetch, signIns: AccountSignIn): ListOfferedModels {
  return async ({ account, model, streamType }, stop) => {
    try {
      const format = modelListFormats.get(streamType);
      if (format === undefined) throw new ProviderFailure('has no list of models');
      return await signIns.using(account, stop, async (signedIn) => {
        const lists: OfferedModel[][] = [];
        for (const request of format.toHttp(signedIn))
          lists.push(await askFor(fetch, { request, format, signedIn, stop }));
        return sorted(lists.flat());
      });
    } catch (error) {
      if (stop.aborted) throw error;
      throw explain(error, { account, model });
    }
  };
}

interface Asking {
  readonly request: ReturnType<ModelListFormat['toHttp']>[number];
  readonly format: ModelListFormat;
  readonly signedIn: ModelAccount;
  readonly stop: AbortSignal;
}

async function askFor(fetch: GuardedFetch, { request, format, signedIn, stop }: Asking): Promise<OfferedModel[]> {
  const headers = { accept: 'application/json', ...request.headers };
  const response = await sendRequest(fetch, request.url, { method: 'GET', headers, signal: stop });
  if (response.status >= 400) throw await readReportedError(response);
  const models = format.read(await expectDocument(response, LIMITS));
  if (models === undefined) throw misdirected('responded with JSON that is no list of models');
  // A hostile server may tell the key back under another name.
  const secrets = secretsOf(signedIn).filter((secret) => secret !== undefined);
  const isClean = ({ id }: OfferedModel) => secrets.every((secret) => !id.includes(secret));
  return models
    .filter(isClean)
    .slice(0, MAX_MODELS)
    .map(({ id, name }) => ({ id, name: name === null ? null : scrub(name, ...secrets) }));
}

// Models may stand in two lists.
function sorted(models: readonly OfferedModel[]): OfferedModel[] {
  const byId = new Map(models.map((model) => [model.id, model]));
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MAX_MODELS);
}

function explain(error: unknown, asked: Pick<ChosenModel, 'account' | 'model'>): ProviderFailure {
  const isUnlisted = error instanceof ReportedError && (error.status === 404 || error.status === 405);
  const failure = isUnlisted
    ? new ProviderFailure(`has no list of models at this address (HTTP ${error.status})`, { cause: error })
    : error;
  return toProviderFailure(failure, asked, undefined);
}
