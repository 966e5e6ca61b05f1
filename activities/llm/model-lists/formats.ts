import { signedGetHeaders } from '../bedrock/aws-signer.ts';
import { keyHeaders } from '../sign-in/key-headers.ts';
import { endpoint, withVersion } from '../transport/endpoint.ts';
import { asList, asObject } from '../transport/json.ts';
import { type ModelListFormat, readModels } from './model-list-format.ts';

const ANTHROPIC_VERSION = '2023-06-01';

/** "List models" as OpenAI publishes it; some of the others answer with the bare list, and tell names. */
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

/** Bedrock tells its models, and the profiles by which the newest of them are called, at another host. */
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
export const modelListFormats: ReadonlyMap<string, ModelListFormat> = new Map([
  ['anthropic', messages],
  ['bedrock', conversations],
  ['gemini', contents],
  ['openai_compat', completions],
]);
