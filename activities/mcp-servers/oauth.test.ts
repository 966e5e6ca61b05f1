import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SecretBox } from '../../db/core/secret-box.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { AuthorizationServer } from '../../test/support/mcp/authorization-server.ts';
import { HostileMcpServer } from '../../test/support/mcp/hostile-mcp-server.ts';
import { mcpConnection, NO_DATABASE } from '../../test/support/mcp/mcp-connection.ts';
import { protect } from '../../test/support/mcp/protect.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { withSession } from './mcp-client.ts';
import { McpSessions } from './mcp-sessions.ts';

const box = new SecretBox(['a'.repeat(44)]);
const never = new AbortController().signal;
const SECRET = 'the-secret-of-the-client';

let resource: HostileMcpServer;
let mine: AuthorizationServer;
let other: AuthorizationServer;
let guarded: ReturnType<typeof createGuardedFetch>;
let sessions: McpSessions;
beforeAll(() => {
  guarded = createGuardedFetch(parsePrivateHosts('127.0.0.1:*'));
});
beforeEach(async () => {
  resource = await HostileMcpServer.start();
  [mine, other] = [await AuthorizationServer.start(), await AuthorizationServer.start()];
  sessions = new McpSessions({ fetch: guarded.fetch, database: NO_DATABASE, box });
});
afterEach(async () => {
  await sessions.close();
  for (const server of [resource, mine, other]) server.close();
});
afterAll(async () => guarded.close());

/** Makes a server's record, and returns what calls its tool. */
function caller() {
  const config = { oauth: { client_id: 'everturn', issuer: mine.issuer, scope: 'tools' } };
  const server = mcpConnection(box, resource.url, { auth: ['oauth', SECRET], config });
  return async () =>
    withSession(sessions, server, { signal: never, mayRepeat: false }, async (session) =>
      session.call({
        tool: { name: 'act', inputSchema: { type: 'object' } },
        args: {},
        key: undefined,
        timeoutMs: 60_000,
        maxTotalMs: 100_000,
        signal: never,
      }),
    );
}

const isPresentToken = (authorization: string | undefined) => authorization === `Bearer ${mine.token}`;

describe('a server that asks for OAuth', () => {
  test('is called with a token for the client credentials', async () => {
    protect(resource, { issuer: () => mine.issuer, takes: isPresentToken });
    expect(await caller()()).toMatchObject({ content: [{ text: 'done' }] });
    const [asked] = mine.at('/token');
    expect(new URLSearchParams(asked?.body).get('grant_type')).toBe('client_credentials');
    expect(asked?.authorization).toBe(`Basic ${Buffer.from(`everturn:${SECRET}`).toString('base64')}`);
    expect(mine.tokenCount).toBe(1);
    const atResource = JSON.stringify(resource.messages);
    expect(atResource).toContain('Bearer token-1');
    expect(atResource).not.toContain(SECRET);
  });

  test('gets another token for a call whose token has run out', async () => {
    protect(resource, { issuer: () => mine.issuer, takes: isPresentToken });
    const call = caller();
    await call();
    mine.token = 'none at present';
    expect(await call()).toMatchObject({ content: [{ text: 'done' }] });
    expect(mine.tokenCount).toBe(2);
  });

  test('may take its time for a call that was sent again with another token', async () => {
    protect(resource, { issuer: () => mine.issuer, takes: isPresentToken });
    const call = caller();
    await call();
    mine.token = 'none at present';
    resource.onCall = ({ result }) => void setTimeout(() => result({ content: [{ type: 'text', text: 'late' }] }), 500);
    expect(await call()).toMatchObject({ content: [{ text: 'late' }] });
    expect(resource.calls).toHaveLength(2);
  });

  test('that names another authorization server than the record does gets no secret', async () => {
    protect(resource, { issuer: () => other.issuer, takes: () => false });
    await expect(caller()()).rejects.toMatchObject({ kind: 'denied' });
    expect(other.at('/token')).toEqual([]);
    expect(other.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });

  test.each(['/.well-known/oauth-authorization-server', '/token'])(
    'whose authorization server redirects from %s to another one gets that one no secret',
    async (path) => {
      protect(resource, { issuer: () => mine.issuer, takes: isPresentToken });
      mine.redirected = { path, to: other.issuer };
      // Without metadata the SDK goes on with the usual paths at the same server.
      await Promise.allSettled([caller()()]);
      expect(mine.at(path)).not.toEqual([]);
      expect(other.requests).toEqual([]);
    },
  );

  test('whose metadata lead to a private address reaches nothing there', async () => {
    const narrow = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${resource.port},127.0.0.1:${mine.port}`));
    sessions = new McpSessions({ fetch: narrow.fetch, database: NO_DATABASE, box });
    const lead = [
      () => protect(resource, { issuer: () => other.issuer, takes: () => false }),
      () => {
        protect(resource, { issuer: () => mine.issuer, takes: isPresentToken });
        mine.metadata = { token_endpoint: `${other.issuer}/token` };
      },
    ];
    for (const begin of lead) {
      begin();
      await expect(caller()()).rejects.toMatchObject({ name: 'McpFailure', mayHaveRun: false });
    }
    expect(other.requests).toEqual([]);
    await narrow.close();
  });

  test('that rejects every token is reported to reject the credentials', async () => {
    protect(resource, { issuer: () => mine.issuer, takes: () => false });
    await expect(caller()()).rejects.toMatchObject({ kind: 'denied', mayHaveRun: false });
    expect(mine.tokenCount).toBeLessThanOrEqual(3);
  });
});
