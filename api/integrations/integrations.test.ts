import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtinTools } from '../../builtin/index.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;

const TOKEN = 'ghp_a-token-of-the-tests';
const served = serveTestApi();
let user: TestUser;
let made = 0;
beforeAll(async () => {
  user = await registerUser(served.url);
});

async function add(fields: Fields = {}) {
  made += 1;
  const integration = { kind: 'github', name: `Code ${made}`, credentials: { token: TOKEN }, ...fields };
  return user.client.post<Fields>('/api/integrations', integration);
}

const http = (fields: Fields = {}) => ({
  kind: 'http',
  base_url: 'https://tracker.example.com/api',
  credentials: { api_key: 'a-secret-key', account: 'number-77' },
  ...fields,
});

async function added(fields: Fields = {}): Promise<string> {
  const { status, json } = await add(fields);
  if (status !== 201) throw new Error(`adding answered ${status}: ${JSON.stringify(json)}`);
  return `/api/integrations/${String(json['id'])}`;
}

const issueAt = (answer: { json: unknown }) =>
  (answer.json as { detail: { loc: unknown[] }[] }).detail.map(({ loc }) => loc.slice(1).join('.'));

describe('an integration', () => {
  test('is shown with the names of its credentials, and without them', async () => {
    const answer = await add(http({ name: 'Tracker' }));
    expect([answer.status, answer.json]).toMatchObject([
      201,
      {
        kind: 'http',
        name: 'Tracker',
        base_url: 'https://tracker.example.com/api',
        api_url: 'https://tracker.example.com/api',
        credential_fields: ['api_key', 'account'],
        has_credentials: true,
        secret_places: ['header', 'query', 'path', 'body'],
        command_variables: {},
        test_request: null,
        status: 'unchecked',
        checked_at: null,
        error: null,
        account: null,
      },
    ]);
    const path = `/api/integrations/${String(answer.json['id'])}`;
    const listed = await user.client.get<Fields[]>('/api/integrations');
    expect((await user.client.get(path)).json).toEqual(answer.json);
    expect(listed.json).toContainEqual(answer.json);
    expect(JSON.stringify([answer.json, listed.json])).not.toMatch(/a-secret-key|number-77/);
  });

  test.each([
    [{ kind: 'discord', credentials: {} }, 'must contain bot_token, or webhook_url'],
    [
      { credentials: { token: TOKEN, client_id: 'a-client', client_secret: 'a-secret-of-it' } },
      'must contain either token, or client_id and client_secret',
    ],
    [
      { kind: 'discord', credentials: { webhook_url: 'http://discord.com/api/webhooks/1/x' } },
      'must be an address that begins with https://',
    ],
    [{ kind: 'ms_teams', credentials: { webhook_url: 'https://a b' } }, 'must be an address that begins with https://'],
    [{ kind: 'telegram', secret_places: ['header'] }, 'must contain nothing but path for this kind'],
  ])('is refused as %j', async (fields, words) => {
    const { status, json } = await add(fields);
    expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining(words)]);
  });

  test('is stored without its credentials in clear', async () => {
    await added();
    const { rows } = await served.api.database.system.query<{ row: string }>(
      "select t::text || encode(credentials, 'escape') as row from integrations t",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(TOKEN))).toEqual([]);
  });

  test('of a code host needs no address where there is a public service', async () => {
    expect((await add({ kind: 'gitlab' })).json).toMatchObject({
      base_url: null,
      api_url: 'https://gitlab.com/api/v4',
      secret_places: ['header'],
    });
    expect((await add({ kind: 'gitea', base_url: 'https://git.example.com' })).json).toMatchObject({
      api_url: 'https://git.example.com/api/v1',
    });
  });

  test.each<[Fields, string]>([
    [{ kind: 'subversion' }, 'kind'],
    [{ kind: 'gitea' }, 'base_url'],
    [http({ base_url: null }), 'base_url'],
    [{ base_url: 'ftp://git.example.com' }, 'base_url'],
    [{ base_url: 'http://127.0.0.1:3000' }, 'base_url'],
    [{ base_url: 'http://169.254.169.254' }, 'base_url'],
    [{ base_url: 'https://me:pass@git.example.com' }, 'base_url'],
    [{ base_url: 'https://git.example.com/#x' }, 'base_url'],
    [{ base_url: 'https://git.example.com/?to=x' }, 'base_url'],
    [{ base_url: 'https://git.example.com/a%7f' }, 'base_url'],
    [{ base_url: 'https://git.example.com/%zz' }, 'base_url'],
    [{ kind: 'postgres', base_url: 'postgres://db.example.com/db%00application_name%00X' }, 'base_url'],
    [{ kind: 'mysql', base_url: 'mysql://db.example.com/db%C2%85' }, 'base_url'],
    [{ kind: 'redis', base_url: 'redis://db.example.com/0%0d%0aHELO%20evil' }, 'base_url'],
    [{ kind: 'redis', base_url: 'redis://db.example.com/one' }, 'base_url'],
    [{ credentials: undefined }, 'credentials'],
    [{ credentials: {} }, 'credentials'],
    [{ credentials: { api_key: TOKEN } }, 'credentials'],
    [{ credentials: { token: TOKEN, more: TOKEN } }, 'credentials'],
    [{ credentials: { token: `${TOKEN} and a blank` } }, 'credentials.token'],
    [{ credentials: { token: 'abc' } }, 'credentials.token'],
    [{ credentials: { token: null } }, 'credentials.token'],
    [{ credentials: { token: 7_777_777 } }, 'credentials.token'],
    [http({ credentials: { 'not a name': 'a-secret-key' } }), 'credentials.not a name'],
    [http({ credentials: { api_key: 'x'.repeat(8_193) } }), 'credentials.api_key'],
    [{ secret_places: ['body'] }, 'secret_places'],
    [http({ secret_places: ['host'] }), 'secret_places.0'],
    [{ command_variables: { TOKEN: 'other' } }, 'command_variables'],
    [{ command_variables: { PATH: 'token' } }, 'command_variables'],
    [{ command_variables: { LD_PRELOAD: 'token' } }, 'command_variables'],
    [{ command_variables: { 'A-B': 'token' } }, 'command_variables.A-B'],
    [{ command_variables: ['token'] }, 'command_variables'],
    [{ test_request: { path: '/me' } }, 'test_request'],
    [http({ test_request: { path: 'me' } }), 'test_request.path'],
    [http({ test_request: { path: '.evil.example/' } }), 'test_request.path'],
    [http({ test_request: { path: '/../../other' } }), 'test_request'],
    [http({ test_request: { path: '/me', headers: { 'X-Key': '{{ secret.other }}' } } }), 'test_request'],
    [http({ test_request: { path: '/me', headers: { 'X-Key': '{{ name }}' } } }), 'test_request'],
    [http({ test_request: { path: '/me', headers: { 'X Key': 'a' } } }), 'test_request'],
    [http({ test_request: { path: '/me', method: 'DELETE' } }), 'test_request.method'],
    [{ name: 'a\nb' }, 'name'],
    [{ token: TOKEN }, 'token'],
  ])('is refused with %j, in words without secrets', async (fields, at) => {
    const answer = await add(fields);
    expect([answer.status, issueAt(answer)]).toEqual([422, [at]]);
    expect(JSON.stringify(answer.json)).not.toMatch(/ghp_|a-secret-key/);
  });

  test('has a name of its own in its organization, in whatever letters', async () => {
    await added({ name: 'Ours' });
    expect((await add({ name: 'OURS' })).status).toBe(409);
    const path = await added({ name: 'Theirs' });
    expect((await user.client.patch(path, { name: 'ours' })).status).toBe(409);
    const other = await registerUser(served.url);
    const same = { kind: 'github', name: 'Ours', credentials: { token: TOKEN } };
    expect((await other.client.post('/api/integrations', same)).status).toBe(201);
  });

  test('is changed field by field, and its credentials as a whole', async () => {
    const path = await added(http());
    const renamed = await user.client.patch<Fields>(path, { name: 'Renamed', secret_places: ['header'] });
    expect(renamed.json).toMatchObject({ name: 'Renamed', secret_places: ['header'], has_credentials: true });
    const rotated = await user.client.patch<Fields>(path, { credentials: { token: 'another-key' } });
    expect(rotated.json).toMatchObject({ credential_fields: ['token'], name: 'Renamed' });
    expect((await user.client.patch(path, { credentials: {} })).status).toBe(422);
    expect((await user.client.patch(path, { kind: 'github' })).status).toBe(422);
    const test = { path: '/me', headers: { 'X-Key': '{{ secret.token }}' } };
    expect((await user.client.patch<Fields>(path, { test_request: test })).json).toMatchObject({ test_request: test });
    expect((await user.client.patch(path, { credentials: { other: 'another-key' } })).status).toBe(422);
  });

  test('needs its credentials again for another position in requests, and drops positions without them', async () => {
    const path = await added(http());
    expect((await user.client.patch(path, { secret_places: ['query', 'header'] })).status).toBe(200);
    expect((await user.client.patch(path, { secret_places: ['header'] })).status).toBe(200);
    const refused = await user.client.patch(path, { secret_places: ['header', 'body'] });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.json)).toContain('must be given again when a place is added to secret_places');
    expect((await user.client.get<Fields>(path)).json).toMatchObject({ secret_places: ['header'] });
    const known = { secret_places: ['header', 'body'], credentials: { api_key: 'a-secret-key' } };
    expect((await user.client.patch<Fields>(path, known)).json).toMatchObject({ secret_places: ['header', 'body'] });
  });

  test('needs its credentials again for another variable of commands, and gives up variables without them', async () => {
    const path = await added({ command_variables: { GH_TOKEN: 'token' } });
    const known = { command_variables: { GH_TOKEN: 'token', GITHUB_TOKEN: 'token' } };
    const refused = await user.client.patch(path, known);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.json)).toContain('must be given again when command_variables gets another variable');
    const given = await user.client.patch<Fields>(path, { ...known, credentials: { token: TOKEN } });
    expect(given.json).toMatchObject(known);
    const fewer = await user.client.patch<Fields>(path, { command_variables: { GITHUB_TOKEN: 'token' } });
    expect([fewer.status, fewer.json]).toMatchObject([200, { command_variables: { GITHUB_TOKEN: 'token' } }]);
    expect((await user.client.get<Fields>(path)).json).toMatchObject({ command_variables: { GITHUB_TOKEN: 'token' } });
  });

  test('needs its credentials again for another address, and forgets what the former ones have shown', async () => {
    const path = await added();
    await served.api.database.system.query(
      "update integrations set checked_at = now(), account = 'octocat' where id = $1",
      [path.split('/').at(-1)],
    );
    expect((await user.client.get<Fields>(path)).json).toMatchObject({ status: 'working', account: 'octocat' });
    const elsewhere = { base_url: 'https://ghe.example.com/api/v3' };
    const refused = await user.client.patch(path, elsewhere);
    expect([refused.status, issueAt(refused)]).toEqual([422, ['credentials']]);
    expect((await user.client.patch(path, { base_url: 'https://api.github.com/' })).status).toBe(200);
    const moved = await user.client.patch<Fields>(path, { ...elsewhere, credentials: { token: TOKEN } });
    expect([moved.status, moved.json]).toMatchObject([200, { status: 'unchecked', account: null }]);
  });

  test('is gone with its credentials once it is deleted', async () => {
    const path = await added();
    expect((await user.client.delete(path)).status).toBe(204);
    expect((await user.client.get(path)).status).toBe(404);
    const { rows } = await served.api.database.system.query('select from integrations where id = $1', [
      path.split('/').at(-1),
    ]);
    expect(rows).toEqual([]);
  });

  test('counts against the limit of its organization', async () => {
    const other = await registerUser(served.url);
    await served.api.database.system.query(
      `insert into integrations (id, org_id, kind, name, credentials, credential_fields, secret_places, connection)
        select gen_random_uuid(), $1, 'github', n::text, '', '[]', '[]', gen_random_uuid() from generate_series(1, 100) n`,
      [other.orgId],
    );
    const answer = await other.client.post('/api/integrations', {
      kind: 'github',
      name: 'One more',
      credentials: { token: TOKEN },
    });
    expect(answer.status).toBe(409);
  });
});

test('a server that may let everybody in takes no credentials, or those that belong together', async () => {
  const server = { kind: 'prometheus', base_url: 'https://metrics.example.com' };
  const open = await added({ ...server, credentials: undefined });
  expect((await user.client.patch(open, { base_url: 'https://metrics.example.org' })).status).toBe(200);
  const closed = await added({ ...server, credentials: { user: 'ada', password: 'a-password' } });
  expect((await user.client.patch(closed, { base_url: 'https://metrics.example.org' })).status).toBe(422);
  const half = await add({ ...server, credentials: { user: 'ada' } });
  expect([half.status, issueAt(half)]).toEqual([422, ['credentials']]);
  expect(JSON.stringify(half.json)).toContain('must contain either nothing, or token, or user and password');
});

test('credentials of which a part is missing are refused beside others that are complete', async () => {
  const half = { access_token: 'a-token', tenant_id: 'acme.example.com', client_id: 'an-app' };
  expect(issueAt(await add({ kind: 'ms_teams', credentials: half }))).toEqual(['credentials']);
  const { access_token: _token, ...app } = half;
  await added({ kind: 'ms_teams', credentials: { ...app, client_secret: 'a-secret-of-the-app' } });
});

test.each<[Fields, Fields, string]>([
  [
    { kind: 'prometheus', base_url: 'https://metrics.example.com' },
    { token: 'a-token', user: 'ada', password: 'a-password' },
    'must contain either nothing, or token, or user and password',
  ],
  [
    { kind: 'kubernetes', base_url: 'https://cluster.example.com:6443' },
    { token: 'a-token', client_certificate: 'PEM', client_key: 'a key' },
    'must contain either token, or client_certificate and client_key, or kubeconfig',
  ],
  [
    { kind: 'ms_teams' },
    { access_token: 'a-token', tenant_id: 'acme', client_id: 'an-app', client_secret: 'a-secret' },
    'must contain access_token, or tenant_id and client_id and client_secret, or webhook_url',
  ],
])('two ways to sign in at once are refused: %j', async (fields, credentials, words) => {
  const answer = await add({ ...fields, credentials });
  expect([answer.status, issueAt(answer)]).toEqual([422, ['credentials']]);
  expect(JSON.stringify(answer.json)).toContain(words);
});

test.each<[string, Fields]>([
  ['ms_teams', { access_token: 'a-token', webhook_url: 'https://flow.example.com/1' }],
  ['discord', { bot_token: 'a-token', webhook_url: 'https://discord.com/api/webhooks/1/x' }],
  ['pagerduty', { api_key: 'a-key-of-the-tests', routing_key: 'a-routing-key' }],
])('what stands for itself is taken beside another way: %s with %j', async (kind, credentials) => {
  expect((await add({ kind, credentials })).status).toBe(201);
});

test('the list is narrowed to a kind', async () => {
  const { client } = await registerUser(served.url);
  for (const [kind, name] of [
    ['github', 'First'],
    ['brave', 'Search'],
    ['github', 'Second'],
  ])
    await client.post('/api/integrations', {
      kind,
      name,
      credentials: { [kind === 'brave' ? 'api_key' : 'token']: 'a-token' },
    });
  const list = async (query: string) => client.get<{ name: string }[]>(`/api/integrations${query}`);
  const names = async (query: string) => (await list(query)).json.map(({ name }) => name);
  expect(await names('?kind=github')).toEqual(['First', 'Second']);
  expect(await names('?kind=github&limit=1&offset=1')).toEqual(['Second']);
  expect(await names('?kind=slack')).toEqual([]);
  expect(await names('')).toEqual(['First', 'Search', 'Second']);
  expect((await list('?kind=unknown')).status).toBe(422);
});

test('settings are checked by the kind, shown, and changed together with the credentials', async () => {
  const fields = { kind: 'sentry', settings: { organization: 'acme' } };
  expect(issueAt(await add({ kind: 'sentry' }))).toEqual(['settings.organization']);
  expect(issueAt(await add({ ...fields, settings: { organization: 'acme', other: 'x' } }))).toEqual(['settings.other']);
  expect(issueAt(await add({ settings: { organization: 'acme' } }))).toEqual(['settings.organization']);
  const path = await added(fields);
  expect((await user.client.get<Fields>(path)).json).toMatchObject({
    settings: { organization: 'acme' },
    used_at: null,
  });
  const settings = { organization: 'other' };
  const refused = await user.client.patch(path, { settings });
  expect([refused.status, issueAt(refused)]).toEqual([422, ['credentials']]);
  expect((await user.client.patch(path, { settings: { organization: 'acme' } })).status).toBe(200);
  const changed = await user.client.patch<Fields>(path, { settings, credentials: { token: TOKEN } });
  expect([changed.status, changed.json]).toMatchObject([200, { settings: { organization: 'other' } }]);
});

test('a server without credentials is added without any', async () => {
  const fields = { kind: 'searxng', base_url: 'https://search.example.com', credentials: {} };
  expect((await add(fields)).json).toMatchObject({ kind: 'searxng', credential_fields: [] });
  expect((await add({ ...fields, credentials: { token: TOKEN } })).status).toBe(422);
  expect((await add({ kind: 'http', base_url: 'https://api.example.com', credentials: {} })).status).toBe(422);
});

const FIRST_KINDS = ['github', 'gitlab', 'gitea', 'git', 'brave', 'tavily', 'exa', 'serper', 'searxng', 'http'];

describe('an integration that a person signs in with', () => {
  const client = { client_id: 'a-client', client_secret: 'a-secret-of-it' };

  test('names the token that requests send, and forgets what was granted with its credentials', async () => {
    const path = await added({ credentials: client, command_variables: { GH_TOKEN: 'token' } });
    const refused = await user.client.patch(path, { command_variables: { SECRET: 'client_secret' } });
    expect([refused.status, issueAt(refused)]).toEqual([422, ['credentials']]);
    const known = { command_variables: { SECRET: 'client_secret' }, credentials: client };
    expect(issueAt(await user.client.patch(path, known))).toEqual(['command_variables']);
    await served.api.database.system.query(
      "update integrations set granted = 'x', signed_in_at = now() where id = $1",
      [path.split('/').at(-1)],
    );
    expect((await user.client.get<Fields>(path)).json).toMatchObject({ signed_in_at: expect.any(String) });
    const changed = await user.client.patch<Fields>(path, { credentials: client });
    expect(changed.json).toMatchObject({ signed_in_at: null, status: 'unchecked' });
  });

  test.each<[Fields, string]>([
    [{ credentials: { client_id: 'a-client' } }, 'credentials'],
    [{ credentials: { ...client, client_secret: 'a b c d' } }, 'credentials.client_secret'],
    [
      { kind: 'gmail', credentials: { service_account_json: '{"type":"service_account"}' } },
      'credentials.service_account_json',
    ],
    [{ kind: 'gmail', credentials: { access_token: 'a-token-that-ends' } }, 'credentials'],
    [{ kind: 'google_drive', credentials: client, settings: { scopes: 'drive' } }, 'settings.scopes'],
  ])('is refused with %j', async (fields, at) => {
    expect(issueAt(await add(fields))).toEqual([at]);
  });
});

describe('an integration with a cluster', () => {
  const cluster = { kind: 'kubernetes', base_url: 'https://cluster.example.com:6443' };
  const FILE = {
    clusters: [{ name: 'c', cluster: { server: cluster.base_url } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  };
  const kubeconfig = (user: string) =>
    `clusters: [{name: c, cluster: {server: "https://cluster.example.com:6443"}}]\nusers: [{name: u, user: ${user}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n`;

  test.each([
    { token: 'a-token-of-the-tests' },
    { client_certificate: 'PEM\nof one', client_key: 'PEM\nof its key', ca: 'PEM' },
    { kubeconfig: kubeconfig('{token: a-token}') },
    { kubeconfig: JSON.stringify({ ...FILE, users: [{ name: 'u', user: { token: 'a-token' } }] }) },
  ])('takes %j', async (credentials) => {
    expect((await add({ ...cluster, credentials, settings: { namespace: 'shop' } })).status).toBe(201);
  });

  test.each([
    [{ credentials: { ca: 'PEM' } }, 'credentials'],
    [{ credentials: { client_certificate: 'PEM' } }, 'credentials'],
    [{ credentials: { kubeconfig: kubeconfig('{exec: {command: aws}}') } }, 'credentials.kubeconfig'],
    [{ credentials: { kubeconfig: kubeconfig('{client-key: /etc/shadow}') } }, 'credentials.kubeconfig'],
    [{ credentials: { kubeconfig: 'a: [' } }, 'credentials.kubeconfig'],
    [{ credentials: { kubeconfig: 'a: &a [1]\nb: *a' } }, 'credentials.kubeconfig'],
    [{ credentials: { kubeconfig: '['.repeat(16_000) } }, 'credentials.kubeconfig'],
    [{ base_url: 'http://cluster.example.com', credentials: { token: 'a-token' } }, 'base_url'],
    [{ base_url: 'https://169.254.169.254', credentials: { token: 'a-token' } }, 'base_url'],
    [{ base_url: null, credentials: { token: 'a-token' } }, 'base_url'],
  ])('is refused with %j', async (fields, at) => {
    expect(issueAt(await add({ ...cluster, ...fields }))).toEqual([at]);
  });
});

test('a store of objects needs a region, and may be at any public address', async () => {
  const fields = { kind: 's3', credentials: { access_key_id: 'AKIA', secret_access_key: 'a-secret' } };
  expect(issueAt(await add(fields))).toEqual(['settings.region']);
  const settings = { region: 'eu-central-1', path_style: 'yes' };
  expect((await add({ ...fields, settings, base_url: 'https://s3.example.com' })).status).toBe(201);
  expect(issueAt(await add({ ...fields, settings, base_url: 'http://127.0.0.1:9000' }))).toEqual(['base_url']);
  expect(issueAt(await add({ ...fields, settings: { ...settings, path_style: 'maybe' } }))).toEqual([
    'settings.path_style',
  ]);
});

test('the kinds say what each needs', async () => {
  const { status, json } = await user.client.get<Fields[]>('/api/integrations/kinds');
  expect(status).toBe(200);
  const shown = json.filter(({ kind }) => FIRST_KINDS.includes(String(kind)));
  const fields = [{ name: 'token' }, { name: 'client_id', is_secret: false }, { name: 'client_secret' }];
  expect(shown).toMatchObject([
    { kind: 'github', base_url: 'https://api.github.com', requires_base_url: false, fields },
    { kind: 'gitlab', base_url: 'https://gitlab.com', requires_base_url: false, fields },
    { kind: 'gitea', base_url: null, requires_base_url: true, fields: [{ name: 'token' }] },
    { kind: 'git', base_url: null, requires_base_url: true, fields: [{ name: 'token' }] },
    ...['brave', 'tavily', 'exa', 'serper'].map((kind) => ({
      kind,
      requires_base_url: false,
      fields: [{ name: 'api_key' }],
    })),
    { kind: 'searxng', base_url: null, requires_base_url: true, fields: [], takes_own_fields: false },
    { kind: 'http', requires_base_url: true, fields: [], takes_own_fields: true, takes_test_request: true },
  ]);
  const gitTools = ['git_clone', 'git_pull', 'git_push'];
  for (const kind of ['git', 'gitea', 'github', 'gitlab'])
    expect(json.find((each) => each['kind'] === kind)?.['tools']).toEqual(expect.arrayContaining(gitTools));
  for (const { kind, description, tools } of json) {
    const named = [...String(description).matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
    const known = named.filter((name) => builtinTools.some(({ key }) => key === name));
    expect([kind, tools]).toEqual([kind, expect.arrayContaining(known)]);
  }
  expect(json.find(({ kind }) => kind === 'sentry')).toMatchObject({
    schemes: ['https', 'http'],
    fields: [{ name: 'token', is_optional: false, format: 'token', is_secret: true }],
    alternatives: [],
    combinable: [],
    settings: [{ name: 'organization', is_optional: false, values: null }],
    tools: ['sentry'],
  });
});
