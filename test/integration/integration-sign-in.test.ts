import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { consentForm } from '../support/consent-form.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { GitlabAuthority } from '../support/gitlab-authority.ts';
import { historiesOf } from '../support/histories-of.ts';
import { registerColleague } from '../support/people.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

type Fields = Record<string, unknown>;

const CLIENT = { client_id: 'our-client', client_secret: 'the-secret-of-the-client' };
const CALLBACK = 'https://everturn.example.com/api/integrations/oauth/callback';
let authority: GitlabAuthority;
let instance: TestInstance;
let user: TestUser;
let made = 0;
beforeAll(async () => {
  authority = await GitlabAuthority.start();
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
});
afterAll(async () => {
  await instance.close();
  await authority.close();
});
beforeEach(() => {
  authority.exchanges.length = 0;
  authority.reply = undefined;
});

async function add(owner = user): Promise<string> {
  made += 1;
  const body = { kind: 'gitlab', name: `Code ${made}`, base_url: authority.url, credentials: CLIENT };
  const { status, json } = await owner.client.post<Fields>('/api/integrations', body);
  if (status !== 201) throw new Error(`adding answered ${status}: ${JSON.stringify(json)}`);
  return `/api/integrations/${String(json['id'])}`;
}

/** Begins a sign-in, and signs in; answers the query that the person is sent back with. */
async function signIn(path: string, owner = user): Promise<URLSearchParams> {
  const { status, json } = await owner.client.post<{ authorize_url: string }>(`${path}/oauth/start`, {});
  if (status !== 200) throw new Error(`the sign-in began with ${status}: ${JSON.stringify(json)}`);
  const answer = await fetch(json.authorize_url, { redirect: 'manual' });
  const [address = '', query] = (answer.headers.get('location') ?? '').split('?');
  expect(address).toBe(CALLBACK);
  return new URLSearchParams(query);
}

/** Opens the page that the person is sent back to. */
async function open(query: URLSearchParams | string) {
  const answer = await fetch(`${instance.api.url}/api/integrations/oauth/callback?${query.toString()}`);
  return { status: answer.status, headers: answer.headers, page: await answer.text() };
}

/** Sends the form of that page, or another one. */
async function send(form: URLSearchParams | string, type = 'application/x-www-form-urlencoded') {
  const body = form.toString();
  const answer = await fetch(`${instance.api.url}/api/integrations/oauth/callback`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  return { status: answer.status, page: await answer.text() };
}

/** Opens the page, and says there that the person wants it. */
async function confirm(query: URLSearchParams) {
  return send(consentForm((await open(query)).page));
}

const stateOf = async (path: string) => (await user.client.get<Fields>(`${path}/oauth/status`)).json;
const shown = async (path: string) => (await user.client.get<Fields>(path)).json;

describe('a person signs in', () => {
  test('with PKCE, is told for whom, and the integration works in their name', async () => {
    const path = await add();
    expect(await shown(path)).toMatchObject({ signed_in_at: null, credential_fields: ['client_id', 'client_secret'] });
    const before = await user.client.post<Fields>(`${path}/test`);
    expect(before.json).toMatchObject({ ok: false, error: expect.stringContaining('Nobody has signed in') });

    const started = await user.client.post<{ authorize_url: string; expires_at: string }>(`${path}/oauth/start`, {
      scopes: ['read_api'],
    });
    const url = new URL(started.json.authorize_url);
    expect(`${url.origin}${url.pathname}`).toBe(`${authority.url}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'our-client',
      redirect_uri: CALLBACK,
      scope: 'read_api',
      state: expect.stringMatching(new RegExp(`^${user.orgId}\\.[\\w-]{43}$`)),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(Date.parse(started.json.expires_at)).toBeGreaterThan(Date.now() + 8 * 60_000);

    expect(await stateOf(path)).toEqual({ status: 'waiting', detail: null, expires_at: started.json.expires_at });

    const query = await signIn(path);
    const asked = await open(query);
    expect([asked.status, authority.exchanges]).toEqual([200, []]);
    expect(asked.page).toContain(`<strong>${user.email}</strong> asks you`);
    expect(asked.page).not.toContain('<script');
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    });
    expect(asked.page).not.toContain(query.get('code'));
    expect(asked.page).toContain('<form method="post" action="callback">');
    const done = await send(consentForm(asked.page));
    expect([done.status, done.page]).toEqual([200, expect.stringContaining('You have signed in')]);
    expect(authority.exchanges).toMatchObject([
      {
        authorization: `Basic ${Buffer.from('our-client:the-secret-of-the-client').toString('base64')}`,
        form: { grant_type: 'authorization_code', code: query.get('code'), redirect_uri: CALLBACK },
      },
    ]);
    expect(await shown(path)).toMatchObject({
      signed_in_at: expect.any(String),
      status: 'working',
      account: 'ada',
      credential_fields: ['client_id', 'client_secret'],
    });
    expect(await stateOf(path)).toEqual({ status: 'done', detail: null, expires_at: null });
    expect(authority.calls.at(-1)?.authorization).toMatch(/^Bearer ey/);
    expect((await user.client.post<Fields>(`${path}/test`)).json).toMatchObject({ ok: true, account: 'ada' });
    const entries = await waitUntil('the entry of the audit log', async () => {
      const { json } = await user.client.get<Fields[]>('/api/audit?action=integrations.finish_sign_in');
      return json.length > 0 ? json : undefined;
    });
    expect(entries).toMatchObject([
      { actor_id: user.id, record_type: 'integrations', record_id: path.split('/').at(-1), outcome: 'success' },
    ]);
  });

  test('and nothing of it is stored in clear, shown or in the engine', async () => {
    const path = await add();
    const query = await signIn(path);
    await confirm(query);
    const { database } = instance.api;
    const { rows } = await database.system.query<{ row: string }>(
      "select t::text || encode(credentials, 'escape') || encode(granted, 'escape') as row from integrations t where id = $1",
      [path.split('/').at(-1)],
    );
    const histories = await historiesOf(instance.temporalAddress, user.orgId, '"ok":true');
    const secrets = [
      query.get('code'),
      query.get('state'),
      CLIENT.client_secret,
      authority.calls.at(-1)?.authorization,
    ];
    for (const secret of secrets) {
      const text = secret?.replace('Bearer ', '') ?? '';
      expect(text.length).toBeGreaterThan(10);
      for (const stored of [rows[0]?.row, histories, JSON.stringify(await shown(path)), instance.workers[0]?.log()])
        expect(stored).not.toContain(text);
    }
  });
});

describe('a sign-in', () => {
  test('is finished once', async () => {
    const path = await add();
    const query = await signIn(path);
    const form = consentForm((await open(query)).page);
    const answers = await Promise.all([send(form), send(form), send(form)]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect((await open(query)).status).toBe(400);
    expect(authority.exchanges).toHaveLength(1);
  });

  test('is finished by the form of its page alone: by no address, and by no other form', async () => {
    const [query, other] = [await signIn(await add()), await signIn(await add())];
    const [state, code] = [query.get('state') ?? '', query.get('code') ?? ''];
    const asked = await open(new URLSearchParams([...query, ['confirm', 'yes'], ['consent', code]]));
    expect([asked.status, asked.page]).toEqual([200, expect.stringContaining('One more step')]);
    const consent = consentForm(asked.page).get('consent') ?? '';
    const othersConsent = consentForm((await open(other)).page).get('consent') ?? '';
    const forged = [
      { state, code, confirm: 'yes' },
      { state, consent: code },
      { state, consent: othersConsent },
      { state, consent: consent.slice(0, -4) },
      { state: other.get('state') ?? '', consent },
      { consent },
    ];
    for (const form of forged) expect((await send(new URLSearchParams(form))).status).toBe(400);
    expect((await send(JSON.stringify({ state, consent }), 'application/json')).status).toBe(400);
    expect((await send(`state=${state}&consent=${'x'.repeat(100_000)}`)).status).toBe(400);
    expect(authority.exchanges).toEqual([]);
    expect((await send(new URLSearchParams({ state, consent }))).page).toContain('You have signed in');
  });

  test('belongs to its state, in its organization', async () => {
    const other = await registerUser(instance.api.url);
    const query = await signIn(await add());
    const [theirs, state] = [await signIn(await add(other), other), query.get('state') ?? ''];
    const secret = state.slice(state.indexOf('.'));
    const forged = [
      `${user.orgId}.${'x'.repeat(43)}`,
      `${other.orgId}${secret}`,
      `${user.orgId}${theirs.get('state')?.slice(36)}`,
      state.slice(0, -1),
      `${state}&state=${state}`,
      '',
    ];
    for (const each of forged) {
      const code = query.get('code') ?? '';
      expect((await open(`code=${code}&state=${each}`)).status).toBe(400);
    }
    expect(authority.exchanges).toEqual([]);
    expect((await confirm(query)).page).toContain('You have signed in');
  });

  test('ends with the next one of the same person, with a refusal, and with a change of the integration', async () => {
    const path = await add();
    const first = await signIn(path);
    const second = await signIn(path);
    expect((await confirm(first)).status).toBe(400);
    await user.client.patch(path, { credentials: { ...CLIENT, client_id: 'another-client' } });
    const outdated = { status: 'failed', detail: 'The integration was changed in the meantime', expires_at: null };
    expect(await stateOf(path)).toEqual(outdated);
    expect((await confirm(second)).page).toContain('The integration was changed in the meantime');
    const third = await signIn(path);
    third.delete('code');
    expect((await open(third)).status).toBe(400);
    third.set('error', 'access_denied');
    expect((await open(third)).page).toContain('The sign-in was refused');
    expect(await stateOf(path)).toEqual({ ...outdated, detail: 'It was refused at the service' });
    expect((await open(third)).status).toBe(400);
    expect(authority.exchanges).toEqual([]);
    expect(await shown(path)).toMatchObject({ signed_in_at: null });
  });

  test('that was not finished in time has expired, and so has one of somebody who began none', async () => {
    const path = await add();
    expect(await stateOf(path)).toEqual({ status: 'expired', detail: null, expires_at: null });
    await signIn(path);
    const colleague = await registerColleague(instance.api, user, 'admin');
    const theirs = await colleague.client.get(`${path}/oauth/status`);
    expect(theirs.json).toMatchObject({ status: 'expired' });
    await instance.api.database.system.query(
      "update integration_sign_ins set expires_at = now() - interval '1 second' where integration_id = $1",
      [path.split('/').at(-1)],
    );
    expect(await stateOf(path)).toEqual({ status: 'expired', detail: null, expires_at: null });
  });

  test('is not finished for a user who may not manage integrations any more', async () => {
    const path = await add();
    const colleague = await registerColleague(instance.api, user, 'admin');
    const query = await signIn(path, colleague);
    await user.client.delete(`/api/orgs/${user.orgId}/members/${colleague.id}`);
    expect((await confirm(query)).page).toContain('may not manage integrations');
    expect(authority.exchanges).toEqual([]);
  });

  test('that the service refuses says so without its words, and with none of the code', async () => {
    const path = await add();
    const query = await signIn(path);
    const body = { access_token: undefined, error: 'invalid_grant', error_description: query.get('code') };
    authority.reply = { status: 400, body };
    const { page } = await confirm(query);
    expect(page).toContain('GitLab does not take the sign-in (invalid_grant)');
    expect(page).not.toContain(query.get('code'));
    expect(await stateOf(path)).toMatchObject({ status: 'failed', detail: expect.stringContaining('invalid_grant') });
    expect(await shown(path)).toMatchObject({ signed_in_at: null });
  });

  test('is for integrations with a client of a kind that has one, and for scopes of the kind', async () => {
    const token = { kind: 'gitlab', name: 'With a token', base_url: authority.url, credentials: { token: 'glpat-1' } };
    const { json } = await user.client.post<Fields>('/api/integrations', token);
    expect((await user.client.post(`/api/integrations/${String(json['id'])}/oauth/start`, {})).status).toBe(409);
    expect((await user.client.post(`${await add()}/oauth/start`, { scopes: ['sudo'] })).status).toBe(422);
    const { json: kinds } = await user.client.get<Fields[]>('/api/integrations/kinds');
    expect(kinds.find(({ kind }) => kind === 'gitlab')).toMatchObject({ oauth: { redirect_url: CALLBACK } });
  });
});

test('a deletion has the service told, unless another integration works with the same client', async () => {
  const [first, second] = [await add(), await add()];
  await confirm(await signIn(first));
  await confirm(await signIn(second));
  const before = authority.revocations;
  const isTaken = async () => {
    const { rows } = await instance.api.database.system.query('select from integration_revocations where org_id = $1', [
      user.orgId,
    ]);
    return rows.length === 0 ? true : undefined;
  };
  expect((await user.client.delete(first)).status).toBe(204);
  await waitUntil('the revocation', isTaken);
  const all = await user.client.get<Fields[]>('/api/integrations');
  const others = all.json.map(({ id }) => `/api/integrations/${String(id)}`).filter((path) => path !== second);
  for (const path of others) await user.client.delete(path);
  await waitUntil('the revocation', isTaken);
  expect(authority.revocations).toBe(before);
  expect((await user.client.delete(second)).status).toBe(204);
  await waitUntil('the revocation', () => (authority.revocations > before ? true : undefined));
});
