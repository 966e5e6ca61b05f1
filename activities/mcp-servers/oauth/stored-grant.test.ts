import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { SecretBox } from '../../../db/core/secret-box.ts';
import { openGrant, readGrant, replaceGrant, sealGrant } from '../../../db/mcp-servers/sign-ins.ts';
import { encryptAnew } from '../../../db/secrets.ts';
import { mcpConnection } from '../../../test/support/mcp/mcp-connection.ts';
import { insertOrg } from '../../../test/support/rows.ts';
import { serveTestDatabase } from '../../../test/support/serve-test-database.ts';
import { StoredGrant } from './stored-grant.ts';

const former = new SecretBox(['the key that was used before']);
const later = new SecretBox(['the key that follows it']);
const box = new SecretBox(['the key that follows it', 'the key that was used before']);
const ISSUER = 'https://mcp.example.com/';
const grantOf = (name: string) => ({
  client: { client_id: 'everturn', issuer: ISSUER },
  tokens: { access_token: name, token_type: 'Bearer', refresh_token: `refresh-${name}`, issuer: ISSUER },
});

const database = serveTestDatabase({ poolSize: 2 });
let ref: { readonly orgId: string; readonly serverId: string };
let sealed: Buffer;
let grant: StoredGrant;
beforeEach(async () => {
  ref = { orgId: await insertOrg(database), serverId: randomUUID() };
  sealed = sealGrant(former, ref, grantOf('ended'));
  await database.system.query(
    `insert into mcp_servers (id, org_id, name, url, auth_type, connection, granted)
      values ($1, $2, 's', $3, 'oauth', gen_random_uuid(), $4)`,
    [ref.serverId, ref.orgId, ISSUER, sealed],
  );
  const server = mcpConnection(box, ISSUER, { orgId: ref.orgId, id: ref.serverId });
  grant = new StoredGrant({ database, box }, { ...server, granted: sealed });
});

/** Has the token renewed while something else happens; returns how many tokens were asked for. */
async function renew(meanwhile: () => Promise<unknown> = async () => {}): Promise<number> {
  let asked = 0;
  const fetchFn = async (url: string | URL) => {
    if (new URL(url).pathname !== '/token') return new Response(null, { status: 404 });
    asked += 1;
    await meanwhile();
    return Response.json(grantOf('renewed').tokens);
  };
  const response = new Response(null, { status: 401 });
  await grant.onUnauthorized({ response, serverUrl: new URL(ISSUER), fetchFn });
  return asked;
}

async function storedWith(key: SecretBox): Promise<unknown> {
  const stored = await readGrant(database, ref);
  return stored === null ? null : openGrant(key, ref, stored);
}

test('renewed tokens are kept when secrets are re-encrypted in the meantime', async () => {
  await renew(async () => encryptAnew(database, box));
  expect(await grant.token()).toBe('renewed');
  expect(await storedWith(later)).toMatchObject(grantOf('renewed'));
});

test('a token that was re-encrypted is not taken for one that another process has renewed', async () => {
  await encryptAnew(database, box);
  expect(await renew()).toBe(1);
  expect(await storedWith(later)).toMatchObject(grantOf('renewed'));
});

test('what another process has stored in the meantime is used instead of the own one', async () => {
  const value = grantOf('of another');
  await renew(async () => replaceGrant(database, box, ref, { former: sealed, value }));
  expect(await grant.token()).toBe('of another');
  expect(await storedWith(later)).toEqual(value);
});
