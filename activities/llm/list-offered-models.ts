import type { OfferedModel } from '../../workflows/short/contract.ts';
import type { GuardedFetch } from '../core/network/guarded-fetch.ts';
import { signedGetHeaders } from './aws-signer.ts';
import { toProviderFailure } from './failures/describe-failure.ts';
import { ProviderFailure, scrub } from './failures/provider-failure.ts';
import { readReportedError, ReportedError } from './failures/reported-error.ts';
import { type ModelAccount, secretsOf } from './model-adapter.ts';
import type { ChosenModel } from './model-of-account.ts';
import { type AccountSignIn, keyHeaders } from './sign-in.ts';
import { endpoint, expectDocument, misdirected, sendRequest, withVersion } from './transport/expect-answer.ts';
import { asList, asObject, asText } from './transport/json.ts';

const MAX_MODELS = 1_000;
/** Gateways return fifty fields for each of some hundred models. */
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
  // A hostile server may return the key under another name.
  const secrets = secretsOf(signedIn).filter((secret) => secret !== undefined);
  const isClean = ({ id }: OfferedModel) => secrets.every((secret) => !id.includes(secret));
  return models
    .filter(isClean)
    .slice(0, MAX_MODELS)
    .map(({ id, name }) => ({ id, name: name === null ? null : scrub(name, ...secrets) }));
}

// Models may be in two lists.
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

/** A request for a list of models. */
interface ListRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How the providers of a wire format are asked for their models. */
interface ModelListFormat {
  /** Several where the models are in several lists. */
  readonly toHttp: (account: ModelAccount) => readonly ListRequest[];
  /** Returns the models of an answer, of which nothing is trusted; undefined when it is no list. */
  readonly read: (answer: unknown) => readonly OfferedModel[] | undefined;
}

const MAX_ID_CHARACTERS = 200;
const MODEL_ID = /^\P{C}+$/u;
const MAX_NAME_CHARACTERS = 200;

/** The names of the fields of a model in a list. */
interface ModelFields {
  readonly id: string;
  readonly name: string;
}

/** Returns the models of a list, without those whose id is none. */
function readModels(list: unknown, { id: idField, name: nameField }: ModelFields): OfferedModel[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return asList(list).flatMap((entry) => {
    const { [idField]: givenId, [nameField]: givenName } = asObject(entry);
    const [id, name] = [asText(givenId), asText(givenName).slice(0, MAX_NAME_CHARACTERS)];
    if (!MODEL_ID.test(id) || id.length > MAX_ID_CHARACTERS) return [];
    return [{ id, name: name === '' || name === id ? null : name }];
  });
}

const ANTHROPIC_VERSION = '2023-06-01';

/** "List models" as OpenAI publishes it; some of the others answer with the bare list, and include names. */
const completions: ModelListFormat = {
  toHttp: (account) => [{ url: endpoint(account.baseUrl ?? '', '/models'), headers: keyHeaders(account) }],
  read: (answer) =>
    readModels(Array.isArray(answer) ? answer : asObject(answer)['data'], { id: 'id', name: 'display_name' }),
};

const messages: ModelListFormat = {
  toHttp: ({ baseUrl = '', apiKey }) => [
    {
      url: endpoint(withVersion(baseUrl, 'v1'), '/models', { limit: '1000' }),
      headers: { 'anthropic-version': ANTHROPIC_VERSION, ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) },
    },
  ],
  read: (answer) => readModels(asObject(answer)['data'], { id: 'id', name: 'display_name' }),
};

/** Gemini's list, of which some models only embed. */
const contents: ModelListFormat = {
  toHttp: ({ baseUrl = '', apiKey }) => [
    {
      url: endpoint(withVersion(baseUrl, 'v1beta'), '/models', { pageSize: '1000' }),
      headers: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
    },
  ],
  read: (answer) => {
    const { models } = asObject(answer);
    if (!Array.isArray(models)) return undefined;
    const speaking = asList(models).filter((model) =>
      asList(asObject(model)['supportedGenerationMethods']).includes('generateContent'),
    );
    return readModels(speaking, { id: 'name', name: 'displayName' })?.map(({ id, name }) => ({
      id: id.replace(/^models\//, ''),
      name,
    }));
  },
};

/** Bedrock lists its models, and the profiles by which the newest of them are called, at another host. */
const conversations: ModelListFormat = {
  toHttp: (account) => {
    const control = (account.baseUrl ?? '').replace(/\bbedrock-runtime(?=[.-])/, 'bedrock');
    const models = endpoint(control, '/foundation-models', { byOutputModality: 'TEXT' });
    const profiles = endpoint(control, '/inference-profiles', { maxResults: '1000' });
    return [profiles, models].map((url) => ({ url, headers: signedGetHeaders(account, url, new Date()) }));
  },
  read: (answer) => {
    const { modelSummaries, inferenceProfileSummaries } = asObject(answer);
    if (inferenceProfileSummaries !== undefined)
      return readModels(inferenceProfileSummaries, { id: 'inferenceProfileId', name: 'inferenceProfileName' });
    return readModels(modelSummaries, { id: 'modelId', name: 'modelName' });
  },
};

/** How to ask for models, by the catalog's word for the wire format. */
const modelListFormats: ReadonlyMap<string, ModelListFormat> = new Map([
  ['anthropic', messages],
  ['bedrock', conversations],
  ['gemini', contents],
  ['openai_compat', completions],
]);
