import { describe, expect, test } from '@jest/globals';
import { hashPassword } from '../access/passwords/password.ts';
import { registerUser as storeUser } from '../../db/membership-changes/index.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { invite, newEmail, redeem } from '../../test/support/invitations.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const BODY = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(['invite', 'closed'] as const)('POST /api/auth/register where registration is %s', (registration) => {
  const served = serveTestApi({ registration });

  test('answers 403 without an invite', async () => {
    expect((await new ApiClient(served.url).post('/api/auth/register', BODY)).status).toBe(403);
    const { rows } = await served.api.database.system.query('select 1 from users');
    expect(rows).toEqual([]);
  });

  /** Signs in a user who registered before registration was restricted. */
  const signInOwner = async (): Promise<Pick<TestUser, 'client' | 'orgId'>> => {
    const account = {
      email: newEmail(),
      fullName: '',
      passwordHash: await hashPassword(BODY.password),
      orgName: 'Lab',
    };
    await storeUser(served.api.database, account);
    const { json } = await new ApiClient(served.url).post<{ access_token: string; user: { active_org_id: string } }>(
      '/api/auth/login',
      { email: account.email, password: BODY.password },
    );
    return { client: new ApiClient(served.url, json.access_token), orgId: json.user.active_org_id };
  };

  test(`${registration === 'invite' ? 'makes accounts' : 'makes no account'} by invite, in a browser and on a device`, async () => {
    const owner = await signInOwner();
    const client = new ApiClient(served.url);
    const { token } = await invite(owner);
    const answers = [
      await client.post('/api/auth/register', { ...BODY, email: newEmail(), invite_token: token }),
      await redeem(client, (await invite(owner, { email: newEmail() })).token),
    ];
    const expected = registration === 'invite' ? [201, 200] : [403, 403];
    expect(answers.map(({ status }) => status)).toEqual(expected);
  });
});
