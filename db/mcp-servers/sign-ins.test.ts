import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertOrg, insertUser } from '../../test/support/rows.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import {
  beginMcpSignIn,
  failMcpSignIn,
  findMcpSignIn,
  grantToMcpServer,
  purgeMcpSignIns,
  readGrant,
} from './sign-ins.ts';

const database = serveTestDatabase({ poolSize: 2 });
const RETURN_TO = 'https://everturn.example.com/';

/** Begins a sign-in of a new user at a new server. */
async function begin() {
  const [orgId, serverId] = [await insertOrg(database), randomUUID()];
  const userId = await insertUser(database, [orgId]);
  await database.system.query(
    `insert into mcp_servers (id, org_id, name, url, auth_type, connection)
      values ($1, $2, 's', 'http://127.0.0.1/mcp', 'oauth', gen_random_uuid())`,
    [serverId, orgId],
  );
  const owner = { orgId, serverId, userId };
  return { ...owner, signInId: await beginMcpSignIn(database, owner, RETURN_TO) };
}

test('sign-ins of all organizations are removed once they have expired, and no others', async () => {
  const [expired, open] = [await begin(), await begin()];
  await database.system.query("update mcp_sign_ins set expires_at = now() - interval '1 second' where id = $1", [
    expired.signInId,
  ]);
  await purgeMcpSignIns(database);
  const { rows } = await database.system.query('select id from mcp_sign_ins');
  expect(rows).toEqual([{ id: open.signInId }]);
  expect(await findMcpSignIn(database, open)).toMatchObject({ orgId: open.orgId, error: null });
});

test('a sign-in grants once, and nothing after it was reported to the person as failed', async () => {
  const [good, failed] = [await begin(), await begin()];
  await failMcpSignIn(database, failed, 'It took too long');
  const outcomes: unknown[] = [];
  for (const ref of [good, failed]) {
    const signIn = await findMcpSignIn(database, ref);
    if (signIn === undefined) throw new Error('the sign-in is gone');
    const granted = Buffer.from('granted');
    const attempts = [
      await grantToMcpServer(database, signIn, granted),
      await grantToMcpServer(database, signIn, granted),
    ];
    outcomes.push([...attempts, (await readGrant(database, signIn))?.toString()]);
  }
  expect(outcomes).toEqual([
    [true, false, 'granted'],
    [false, false, undefined],
  ]);
  expect(await findMcpSignIn(database, failed)).toMatchObject({ error: 'It took too long' });
});

test('a sign-in replaces an earlier one of the same person, and of no other', async () => {
  const own = await begin();
  const colleague = { ...own, userId: await insertUser(database, [own.orgId]) };
  const ids = [own.signInId];
  for (const owner of [colleague, own]) ids.push(await beginMcpSignIn(database, owner, RETURN_TO));
  const found = await Promise.all(ids.map(async (signInId) => findMcpSignIn(database, { ...own, signInId })));
  expect(found.map((signIn) => signIn?.id)).toEqual([undefined, ...ids.slice(1)]);
});
