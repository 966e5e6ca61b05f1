import { beforeAll, describe, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;

const URL_OF_SERVER = 'https://mcp.example.com/mcp';
const served = serveTestApi({ orgLimits: 'mcp_servers=100' });
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

async function add(fields: Fields = {}) {
  return user.client.post<Fields>('/api/mcp-servers', { name: 'Tickets', url: URL_OF_SERVER, ...fields });
}

async function added(fields: Fields = {}): Promise<string> {
  const { status, json } = await add(fields);
  if (status !== 201) throw new Error(`adding answered ${status}: ${JSON.stringify(json)}`);
  return `/api/mcp-servers/${String(json['id'])}`;
}

const issueAt = (answer: { json: unknown }) =>
  (answer.json as { detail: { loc: unknown[] }[] }).detail.map(({ loc }) => loc.slice(1).join('.'));

const OAUTH = { oauth: { client_id: 'everturn', issuer: 'https://auth.example.com' } };

describe('an MCP server', () => {
  test('has the defaults of the specification, and is shown as it was given', async () => {
    const { status, json } = await add({ description: 'Finds tickets', config: { headers: { 'X-Team': 'a' } } });
    expect([status, json]).toMatchObject([
      201,
      {
        name: 'Tickets',
        description: 'Finds tickets',
        url: URL_OF_SERVER,
        config: { headers: { 'X-Team': 'a' } },
        auth_type: 'none',
        has_credentials: false,
        tool_count: 0,
        tools_fetched_at: null,
        fetch_error: null,
        left_out: [],
        fetch_changes: null,
        changed_tools: [],
      },
    ]);
    expect((await user.client.get(`/api/mcp-servers/${String(json['id'])}`)).json).toEqual(json);
    expect((await user.client.get(`/api/mcp-servers/${String(json['id'])}/tools`)).json).toEqual([]);
  });

  test.each([
    ['bearer', 'a-token', {}],
    ['header', 'X-API-Key: a-key', {}],
    ['oauth', 'a-client-secret', OAUTH],
  ])('takes a secret for %s, and never shows it', async (authType, authValue, config) => {
    const answer = await add({ auth_type: authType, auth_value: authValue, config });
    expect([answer.status, answer.json['has_credentials']]).toEqual([201, true]);
    const path = `/api/mcp-servers/${String(answer.json['id'])}`;
    const answers = [answer, await user.client.get(path), await user.client.get('/api/mcp-servers')];
    expect(JSON.stringify(answers.map(({ json }) => json))).not.toContain(authValue);
    const { rows } = await served.api.database.system.query<{ row: string }>(
      "select t::text || encode(auth_value, 'escape') as row from mcp_servers t where id = $1",
      [answer.json['id']],
    );
    expect(rows[0]?.row).not.toContain(authValue);
  });

  test('keeps settings of the connection that have no meaning here, whatever changes beside them', async () => {
    const config = { timeout: 30, region: 'eu', retry: { attempts: [1, 2] }, headers: { 'X-Team': 'a' } };
    const { status, json } = await add({ config });
    expect([status, json['config']]).toEqual([201, config]);
    const path = `/api/mcp-servers/${String(json['id'])}`;
    const changed = await user.client.patch<Fields>(path, { name: 'Renamed', config: { ...config, region: null } });
    expect([changed.status, changed.json['config']]).toEqual([200, { ...config, region: null }]);
    expect((await user.client.get<Fields>(path)).json['config']).toEqual({ ...config, region: null });
  });

  test.each<[Fields, string]>([
    [{ url: 'stdio:sh' }, 'url'],
    [{ url: 'file:///bin/sh' }, 'url'],
    [{ url: 'unix:/run/x.sock' }, 'url'],
    [{ url: 'http://127.0.0.1:8080/mcp' }, 'url'],
    [{ url: 'http://169.254.169.254/latest' }, 'url'],
    [{ url: 'https://user:pass@mcp.example.com/mcp' }, 'url'],
    [{ url: 'https://mcp.example.com/mcp#x' }, 'url'],
    [{ command: 'sh' }, 'command'],
    [{ config: { command: 'sh' } }, 'config.command'],
    [{ config: { args: ['-c'] } }, 'config.args'],
    [{ config: { env: { PATH: '/' } } }, 'config.env'],
    [{ config: { cwd: '/' } }, 'config.cwd'],
    [{ config: { stdio: true } }, 'config.stdio'],
    [{ config: { headers: { command: 'sh' } } }, 'config.headers.command'],
    [{ config: { oauth: { ...OAUTH.oauth, env: {} } } }, 'config.oauth.env'],
    [{ config: { retry: [{ api_key: 'x' }] } }, 'config.retry.0.api_key'],
    [{ config: { headers: { Authorization: 'Bearer x' } } }, 'config.headers.Authorization'],
    [{ config: { headers: { 'X-Api-Key': 'x' } } }, 'config.headers.X-Api-Key'],
    [{ config: { headers: { Host: 'a' } } }, 'config.headers.Host'],
    [{ config: { headers: { 'Content-Length': '5' } } }, 'config.headers.Content-Length'],
    [{ config: { headers: { 'Transfer-Encoding': 'chunked' } } }, 'config.headers.Transfer-Encoding'],
    [{ config: { headers: { 'mcp-session-id': 'a' } } }, 'config.headers.mcp-session-id'],
    [{ config: { headers: { 'X-A': 'a\r\nX-B: b' } } }, 'config.headers.X-A'],
    [{ config: { headers: { 'X A': 'a' } } }, 'config.headers.X A'],
    [{ config: { timeout_seconds: 0 } }, 'config.timeout_seconds'],
    [{ config: { timeout_seconds: 601 } }, 'config.timeout_seconds'],
    [{ config: { transport: 'stdio' } }, 'config.transport'],
    [{ auth_type: 'bearer' }, 'auth_value'],
    [{ auth_type: 'bearer', auth_value: 'a\r\nb' }, 'auth_value'],
    [{ auth_type: 'header', auth_value: 'no header' }, 'auth_value'],
    [{ auth_type: 'header', auth_value: 'Host: internal.example.com' }, 'auth_value'],
    [{ auth_type: 'header', auth_value: 'content-length: 5' }, 'auth_value'],
    [{ auth_type: 'header', auth_value: 'Transfer-Encoding: chunked' }, 'auth_value'],
    [{ auth_type: 'header', auth_value: 'Connection: close' }, 'auth_value'],
    [{ auth_type: 'header', auth_value: 'Proxy-Authorization: Basic eA==' }, 'auth_value'],
    [{ auth_type: 'header', auth_value: 'Mcp-Session-Id: a' }, 'auth_value'],
    [{ auth_type: 'none', auth_value: 'x' }, 'auth_value'],
    [{ auth_type: 'oauth', auth_value: 'x' }, 'config.oauth'],
    [
      { auth_type: 'oauth', auth_value: 'x', config: { oauth: { client_id: 'a', issuer: 'http://10.0.0.1' } } },
      'config.oauth.issuer',
    ],
    [{ auth_type: 'apikey', auth_value: 'x' }, 'auth_type'],
    [{ name: 'a\nb' }, 'name'],
  ])('is refused with %j', async (fields, at) => {
    const answer = await add(fields);
    expect([answer.status, issueAt(answer)]).toEqual([422, [at]]);
  });

  test.each<[Fields, number]>([
    [{ config: { oauth: { grant: 'authorization_code' } } }, 201],
    [{ config: { oauth: { grant: 'authorization_code', client_id: 'a', issuer: 'https://auth.example.com' } } }, 201],
    [{ config: { oauth: { ...OAUTH.oauth, grant: 'authorization_code' } }, auth_value: 'a-secret' }, 201],
    [{ config: { oauth: { grant: 'authorization_code', client_id: 'a' } } }, 422],
    [{ config: { oauth: { grant: 'authorization_code' } }, auth_value: 'of-no-client' }, 422],
    [{ config: { oauth: { grant: 'implicit' } } }, 422],
    [{ config: OAUTH }, 422],
  ])('lets a person sign in only where %j makes a client', async (fields, status) => {
    expect((await add({ auth_type: 'oauth', ...fields })).status).toBe(status);
  });

  test('of another kind lets nobody sign in', async () => {
    const path = await added();
    expect((await user.client.post(`${path}/oauth/start`)).status).toBe(409);
  });

  test('is changed field by field', async () => {
    const path = await added({ auth_type: 'bearer', auth_value: 'a-token' });
    const changed = await user.client.patch<Fields>(path, { name: 'Renamed', config: { timeout_seconds: 30 } });
    expect(changed.json).toMatchObject({ name: 'Renamed', config: { timeout_seconds: 30 }, has_credentials: true });
    const open = await user.client.patch<Fields>(path, { auth_type: 'none' });
    expect(open.json).toMatchObject({ auth_type: 'none', has_credentials: false });
    expect((await user.client.patch(path, { auth_type: 'bearer' })).status).toBe(422);
  });

  test.each<[Fields]>([
    [{ url: 'https://other.example.com/mcp' }],
    [{ auth_type: 'header' }],
    [{ config: { oauth: { ...OAUTH.oauth, issuer: 'https://evil.example.com' } } }],
    [{ config: { oauth: { ...OAUTH.oauth, client_id: 'other' } } }],
  ])('needs its secret again for %j', async (changes) => {
    const path = await added({ auth_type: 'oauth', auth_value: 'a-secret', config: OAUTH });
    const answer = await user.client.patch(path, changes);
    expect([answer.status, issueAt(answer)]).toEqual([422, ['auth_value']]);
    const again = 'auth_type' in changes ? 'X-A: a' : 'a-secret';
    expect((await user.client.patch(path, { ...changes, auth_value: again })).status).toBe(200);
  });

  test('forgets its tools with another address', async () => {
    const path = await added();
    const id = path.split('/').at(-1);
    const tools = [{ name: 'a', description: '', inputSchema: { type: 'object' }, annotations: {}, digest: 'x' }];
    await served.api.database.system.query('update mcp_servers set tools = $2, tool_count = 1 where id = $1', [
      id,
      JSON.stringify(tools),
    ]);
    expect((await user.client.get(`${path}/tools`)).json).toEqual([
      { name: 'a', description: '', input_schema: { type: 'object' }, effect: 'once', annotations: {}, change: null },
    ]);
    expect((await user.client.patch<Fields>(path, { name: 'Same tools' })).json['tool_count']).toBe(1);
    const moved = await user.client.patch<Fields>(path, { url: 'https://other.example.com/mcp' });
    expect(moved.json['tool_count']).toBe(0);
    expect((await user.client.get(`${path}/tools`)).json).toEqual([]);
  });

  test('is gone once it is deleted, and agents that name it can still be changed', async () => {
    const path = await added();
    const id = path.split('/').at(-1);
    const agent = await user.client.post<Fields>('/api/agents', {
      name: 'A',
      tools: ['mcp'],
      mcps: [{ id, tools: ['a'] }],
    });
    expect([agent.status, agent.json['mcps']]).toEqual([201, [{ id, tools: ['a'] }]]);
    expect((await user.client.delete(path)).status).toBe(204);
    expect((await user.client.get(path)).status).toBe(404);
    const agentPath = `/api/agents/${String(agent.json['id'])}`;
    expect((await user.client.patch(agentPath, { mcps: [{ id }] })).status).toBe(200);
    expect((await user.client.post('/api/agents', { name: 'B', mcps: [{ id }] })).status).toBe(404);
  });

  test.each(['id', 'server_id', 'mcp_id'])('is attached to an agent by its id as %s', async (name) => {
    const id = (await added()).split('/').at(-1);
    const server = { [name]: id, tools: ['search'] };
    const agent = await user.client.post<Fields>('/api/agents', { name: 'A', mcps: [server] });
    expect([agent.status, agent.json['mcps']]).toEqual([201, [{ ...server, id }]]);
    const named = await user.client.get<Fields[]>(`/api/agents?mcp_server_id=${id}`);
    expect(named.json.map((each) => each['id'])).toEqual([agent.json['id']]);
  });

  test('is attached to an agent as it is shown, without what only a record has', async () => {
    const { json: server } = await add({ auth_type: 'bearer', auth_value: 'a-token', config: { region: 'eu' } });
    const agent = await user.client.post<Fields>('/api/agents', { name: 'A', mcps: [server] });
    const { id, name, description, url, auth_type: authType, config } = server;
    const kept = { id, name, description, url, auth_type: authType, config };
    expect([agent.status, agent.json['mcps']]).toEqual([201, [kept]]);
    const path = `/api/agents/${String(agent.json['id'])}`;
    for (const mcps of [[{ ...server, command: 'sh' }], [{ url, has_credentials: true }]])
      expect((await user.client.patch(path, { mcps })).status).toBe(422);
  });

  test('of another organization is unknown to agents', async () => {
    const other = await registerUser(served.url);
    const id = (await added()).split('/').at(-1);
    for (const named of [{ id }, { server_id: id }, { mcp_id: id }])
      expect((await other.client.post('/api/agents', { name: 'A', mcps: [named] })).status).toBe(404);
  });

  test('counts against the limit of its organization', async () => {
    const other = await registerUser(served.url);
    await served.api.database.system.query(
      `insert into mcp_servers (id, org_id, name, url, auth_type, connection)
        select gen_random_uuid(), $1, 'Full', 'https://mcp.example.com', 'none', gen_random_uuid() from generate_series(1, 100)`,
      [other.orgId],
    );
    const answer = await other.client.post('/api/mcp-servers', { name: 'One more', url: URL_OF_SERVER });
    expect(answer.status).toBe(409);
  });
});

describe('the trust of an MCP server', () => {
  test('is moved to another address by administrators only', async () => {
    const member = await registerColleague(served.api, user, 'member');
    const { json } = await member.client.post<Fields>('/api/mcp-servers', {
      name: 'Tickets',
      url: URL_OF_SERVER,
      auth_type: 'none',
    });
    const path = `/api/mcp-servers/${String(json['id'])}`;
    expect((await user.client.patch(path, { trusted: true })).status).toBe(200);
    const elsewhere = { url: 'https://evil.example.com/mcp', trusted: true };
    expect((await member.client.patch(path, elsewhere)).status).toBe(403);
    expect((await user.client.get<Fields>(path)).json).toMatchObject({ url: URL_OF_SERVER, trusted: true });
    expect((await member.client.patch(path, { url: URL_OF_SERVER, trusted: true })).status).toBe(200);
    expect((await user.client.patch<Fields>(path, elsewhere)).json).toMatchObject(elsewhere);
    const moved = await member.client.patch<Fields>(path, { url: 'https://third.example.com/mcp' });
    expect([moved.status, moved.json['trusted']]).toEqual([200, false]);
    expect((await member.client.patch(path, { trusted: true })).status).toBe(403);
  });
});
