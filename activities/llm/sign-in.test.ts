import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ask,
  buildRequest,
  type GoogleAuthority,
  json,
  KEY,
  LIMITS,
  startGoogleAuthority,
  startWireServer,
  stream,
  type WireReply,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { GoogleTokens } from '../core/google-tokens.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { createAdapters } from './adapters.ts';
import { createEmbed } from './embed-texts.ts';
import { createListOfferedModels } from './list-offered-models.ts';
import { createMediaCall } from './media.ts';
import type { ModelAdapter, SpecialSignIn } from './model-adapter.ts';
import type { ChosenModel } from './model-of-account.ts';
import { AccountSignIn } from './sign-in.ts';
import { createTryModel } from './try-model.ts';

let server: WireServer;
let authority: GoogleAuthority;
let signIns: AccountSignIn;

beforeEach(async () => {
  server = await startWireServer();
  authority = await startGoogleAuthority();
  const http = createGuardedHttp(authority.server.fetch);
  signIns = new AccountSignIn(new GoogleTokens({ http, tokenUrl: authority.tokenUrl }));
});

afterEach(async () => {
  await server.close();
  await authority.server.close();
});

const OK = stream(
  'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
);
const adapter: ModelAdapter = (request, signal) => {
  const find = createAdapters(server.requestStream, LIMITS, { signIns });
  return find({ account: request.account, model: request.model, streamType: 'openai_compat' })(request, signal);
};

function requestOf(providerType: string, signIn?: SpecialSignIn) {
  const { account, ...rest } = buildRequest(server.url, { providerType });
  return { ...rest, account: { ...account, ...(signIn !== undefined && { apiKey: undefined, signIn }) } };
}

const ofAuthority = () => ({ type: 'service_account', serviceAccount: authority.serviceAccount }) as const;
const sentHeaders = () => server.requests.map(({ headers }) => headers);

describe('an account of Azure', () => {
  test('sends its key under the name that Azure has for it', async () => {
    server.answer(OK);
    await ask(adapter, requestOf('azure'));
    expect(sentHeaders()).toEqual([expect.objectContaining({ 'api-key': KEY })]);
    expect(sentHeaders()[0]).not.toHaveProperty('authorization');
  });

  test('sends an access token as such', async () => {
    server.answer(OK);
    await ask(adapter, requestOf('azure', { type: 'access_token', accessToken: 'eyJ.token' }));
    expect(sentHeaders()).toEqual([expect.objectContaining({ authorization: 'Bearer eyJ.token' })]);
    expect(sentHeaders()[0]).not.toHaveProperty('api-key');
  });

  test('reports that its filter stopped a question', async () => {
    const message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";
    server.answer(json(400, { error: { code: 'content_filter', message, status: 400, innererror: {} } }));
    const said = await ask(adapter, requestOf('azure'));
    expect(said).toMatchObject({ kind: 'rejected', failure: expect.stringContaining('its content filter stopped it') });
  });
});

describe('a service account of Google', () => {
  test('answers twenty turns with one token', async () => {
    server.answer(OK);
    const turns = Array.from({ length: 20 }, async () => ask(adapter, requestOf('google-vertex', ofAuthority())));
    expect(new Set((await Promise.all(turns)).map(({ text }) => text))).toEqual(new Set(['hi']));
    expect(authority.given).toEqual(['https://www.googleapis.com/auth/cloud-platform']);
    expect(new Set(sentHeaders().map(({ authorization }) => authorization))).toEqual(new Set(['Bearer ya29.test-1']));
  });

  const UNAUTHENTICATED = json(401, {
    error: { code: 401, message: 'Request had invalid token ya29.test-1', status: 'UNAUTHENTICATED' },
  });
  const READY = json(200, {
    choices: [{ index: 0, message: { role: 'assistant', content: 'ready' }, finish_reason: 'stop' }],
  });

  /** Has the server take no token but this one. */
  const takeOnly = (token: string, reply: WireReply) =>
    server.answer((response, request) =>
      (request.headers.authorization === `Bearer ${token}` ? reply : UNAUTHENTICATED)(response, request),
    );

  test('asks for another token when Google no longer takes the first, and continues the call', async () => {
    takeOnly('ya29.test-2', OK);
    expect(await ask(adapter, requestOf('google-vertex', ofAuthority()))).toMatchObject({ text: 'hi' });
    expect(await ask(adapter, requestOf('google-vertex', ofAuthority()))).toMatchObject({ text: 'hi' });
    expect(sentHeaders().map(({ authorization }) => authorization)).toEqual([
      'Bearer ya29.test-1',
      'Bearer ya29.test-2',
      'Bearer ya29.test-2',
    ]);
  });

  test('asks for one other token only, and says that none was taken', async () => {
    takeOnly('none', OK);
    const said = await ask(adapter, requestOf('google-vertex', ofAuthority()));
    expect(said.kind).toBe('credentials');
    expect(said.failure).not.toContain('ya29');
    expect(sentHeaders()).toHaveLength(2);
  });

  test.each<[string, WireReply, (chosen: ChosenModel, stop: AbortSignal) => Promise<unknown>]>([
    [
      'when it is tested',
      READY,
      async (chosen, stop) =>
        createTryModel(server.fetch, createAdapters(server.requestStream, LIMITS, { signIns }), signIns)(chosen, stop),
    ],
    [
      'when its models are listed',
      json(200, { data: [{ id: 'a-model' }] }),
      async (chosen, stop) => createListOfferedModels(server.fetch, signIns)(chosen, stop),
    ],
    [
      'when texts are embedded',
      json(200, { data: [{ index: 0, embedding: [1] }] }),
      async (chosen, stop) =>
        createEmbed(server.requestStream, LIMITS, signIns)(chosen, { texts: ['a'], purpose: 'query' }, stop),
    ],
    [
      'when pictures are made',
      json(200, {}),
      async (chosen, stop) =>
        createMediaCall(server.fetch, signIns)(chosen, { path: '/images', body: {} }, () => 'read', stop),
    ],
  ])('asks for another token %s, too', async (_when, reply, call) => {
    takeOnly('ya29.test-2', reply);
    const { account, model } = requestOf('google-vertex', ofAuthority());
    await call({ account, model, streamType: 'openai_compat' }, new AbortController().signal);
    expect(sentHeaders().at(-1)?.authorization).toBe('Bearer ya29.test-2');
  });

  test('that Google rejects is reported with the name of the account, and calls no model', async () => {
    const serviceAccount = { ...authority.serviceAccount, clientEmail: 'other@project.iam.gserviceaccount.com' };
    const said = await ask(adapter, requestOf('google-vertex', { type: 'service_account', serviceAccount }));
    expect(said).toMatchObject({
      kind: 'credentials',
      failure:
        'Acme could not sign in: Google rejected the service account (HTTP 400: invalid_grant: Invalid JWT Signature.)',
    });
    expect(server.requests).toHaveLength(0);
  });

  test('is tested with a token of its own', async () => {
    const { account, model } = requestOf('google-vertex', ofAuthority());
    server.answer(
      json(200, { choices: [{ index: 0, message: { role: 'assistant', content: 'ready' }, finish_reason: 'stop' }] }),
    );
    const tryModel = createTryModel(server.fetch, createAdapters(server.requestStream, LIMITS, { signIns }), signIns);
    await tryModel({ account, model, streamType: 'openai_compat' }, new AbortController().signal);
    expect(sentHeaders()[0]?.authorization).toBe('Bearer ya29.test-1');
  });
});

test('an account without a key sends no header for one', async () => {
  server.answer(OK);
  const { account, ...rest } = requestOf('ollama');
  await ask(adapter, { ...rest, account: { ...account, apiKey: undefined } });
  expect(Object.keys(sentHeaders()[0] ?? {}).toSorted()).toEqual(
    ['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'user-agent'].toSorted(),
  );
});
