import { env } from 'node:process';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { providerCatalog } from '../../builtin/index.ts';
import { type ScriptedForm, scriptedForms } from '../../test/support/scripted-provider/index.ts';
import {
  ask,
  buildRequest,
  type GoogleAuthority,
  json,
  LIMITS,
  startGoogleAuthority,
  startWireServer,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { GoogleTokens } from '../core/google-tokens.ts';
import { createAdapters } from './adapters.ts';
import { createEmbed } from './embed-texts.ts';
import type { SpecialSignIn } from './model-adapter.ts';
import { AccountSignIn } from './sign-in.ts';
import { createTryModel } from './try-model.ts';

/** What an operator's shell may hold, each of which a vendor's library or Node itself would heed. */
const CANARIES: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'canary-key',
  OPENAI_ADMIN_KEY: 'canary-key',
  OPENAI_BASE_URL: 'http://127.0.0.1:9/canary',
  OPENAI_ORG_ID: 'canary-org',
  OPENAI_PROJECT_ID: 'canary-project',
  OPENAI_CUSTOM_HEADERS: 'x-canary: 1',
  OPENAI_LOG: 'debug',
  AZURE_OPENAI_API_KEY: 'canary-key',
  AZURE_OPENAI_ENDPOINT: 'http://127.0.0.1:9/canary',
  ANTHROPIC_API_KEY: 'canary-key',
  ANTHROPIC_AUTH_TOKEN: 'canary-token',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/canary',
  ANTHROPIC_CUSTOM_HEADERS: 'x-canary: 1',
  AWS_ACCESS_KEY_ID: 'CANARY',
  AWS_SECRET_ACCESS_KEY: 'canary-secret',
  AWS_SESSION_TOKEN: 'canary-token',
  AWS_BEARER_TOKEN_BEDROCK: 'canary-token',
  AWS_REGION: 'canary-1',
  AWS_PROFILE: 'canary',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9/canary',
  GOOGLE_API_KEY: 'canary-key',
  GEMINI_API_KEY: 'canary-key',
  GOOGLE_APPLICATION_CREDENTIALS: '/canary.json',
  GOOGLE_CLOUD_PROJECT: 'canary',
  GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9/canary',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
};

let server: WireServer;
let authority: GoogleAuthority;
beforeAll(async () => {
  server = await startWireServer();
  authority = await startGoogleAuthority();
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  await server.close();
  await authority.server.close();
});

const never = new AbortController().signal;
const SCRIPT = { text: 'hi', end: 'done' } as const;
const COMPLETION = { choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] };
const KEYS = {
  type: 'aws_keys',
  accessKeyId: 'AKID',
  secretAccessKey: 's',
  sessionToken: 't',
  region: 'eu-west-1',
} as const;

/** Makes one call in each way that there is, and returns all that the servers got. */
async function requestsOfAll() {
  const http = createGuardedHttp(authority.server.fetch);
  const signIns = new AccountSignIn(new GoogleTokens({ http, tokenUrl: authority.tokenUrl }));
  const find = createAdapters(server.requestStream, LIMITS, { signIns });
  const seen: unknown[] = [];
  const note = () =>
    seen.push(...server.requests.map(({ path, headers, body }) => ({ path, headers: plain(headers), body })));
  const call = async (streamType: string, providerType: string, signIn?: SpecialSignIn) => {
    server.answer((scriptedForms[streamType] as ScriptedForm).play(SCRIPT));
    const { account, ...rest } = buildRequest(server.url, { providerType });
    const request = { ...rest, account: { ...account, ...(signIn !== undefined && { apiKey: undefined, signIn }) } };
    const said = await ask(find({ account: request.account, model: request.model, streamType }), request);
    expect(said).toMatchObject({ text: 'hi', failure: undefined });
    note();
  };
  for (const { key, streamType, authType } of providerCatalog)
    if (authType !== 'oauth' && streamType !== 'demo') await call(streamType, key);
  await call('bedrock', 'amazon-bedrock', KEYS);
  await call('openai_compat', 'google-vertex', { type: 'service_account', serviceAccount: authority.serviceAccount });
  const { account, model } = buildRequest(server.url);
  const chosen = { account, model, streamType: 'openai_compat' };
  server.answer(json(200, COMPLETION));
  await createTryModel(server.fetch, find, signIns)(chosen, never);
  note();
  server.answer(json(200, { data: [{ index: 0, embedding: [1, 0] }] }));
  await createEmbed(server.requestStream, LIMITS, signIns)(chosen, { texts: ['a'], purpose: 'query' }, never);
  note();
  return seen;
}

// A signature and a token are others for each request.
function plain({ authorization = '', 'x-amz-date': _date, ...headers }: WireServer['requests'][number]['headers']) {
  const proof = authorization.replace(/\d{8}(?=\/)|Signature=.*/g, '').replace(/ya29\.test-\d+/, 'ya29.test');
  return { ...headers, authorization: proof };
}

test('nothing in the environment of the worker changes a request to any provider', async () => {
  const before = await requestsOfAll();
  expect(before.length).toBeGreaterThan(48);
  jest.replaceProperty(process, 'env', { ...env, ...CANARIES });
  const after = await requestsOfAll();
  expect(after).toEqual(before);
  expect(JSON.stringify(after)).not.toMatch(/canary/i);
  expect(authority.given).toHaveLength(2);
});
