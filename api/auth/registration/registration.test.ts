import { describe, expect, jest, test } from '@jest/globals';
import type { Logger } from 'pino';
import { Passwords } from '../../access/passwords.ts';
import { registerUser as storeUser } from '../../../db/membership-changes/change-members.ts';
import { ApiClient } from '../../../test/support/api-client.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { invite, newEmail, redeem } from '../../../test/support/invitations.ts';
import { serveTestApi } from '../../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../../test/support/test-api.ts';
import { createSetupToken, logSetupToken } from '../register.ts';

interface SignedUp {
  readonly orgs: readonly { readonly role: string }[];
}

const BODY = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(['invite', 'closed'] as const)('POST /api/auth/register where registration is %s', (registration) => {
  const served = serveTestApi({ registration });

  const register = async (body: Record<string, unknown> = {}) => {
    const { status, json } = await new ApiClient(served.url).post<{ detail: string; user: SignedUp }>(
      '/api/auth/register',
      { ...BODY, ...body },
    );
    return { status, detail: json.detail, roles: json.user?.orgs.map(({ role }) => role) };
  };
  const setupToken = async () => createSetupToken(served.api.database, [TEST_SECRET_KEY])();
  const server = async () => (await new ApiClient(served.url).get('/api/server')).json;
  /** Returns what an api process logs of the first account at its start. */
  const logged = async (as: 'open' | 'invite' | 'closed' = registration) => {
    const log = { warn: jest.fn() };
    await logSetupToken({
      registration: as,
      setupToken,
      publicUrl: 'https://everturn.example.com',
      log: log as unknown as Logger,
    });
    return log.warn.mock.calls.flat();
  };

  test('answers 403 while the server is empty, and says what the first account takes', async () => {
    expect(await server()).toMatchObject({ registration, has_accounts: false, needs_setup_token: true });
    const invite_token = 'et_inv_example';
    const answers = [await register(), await register({ setup_token: `${await setupToken()}0` })];
    expect(answers.map(({ status, detail }) => [status, detail])).toEqual([
      [403, 'The first account of this server needs the setup_token that the api has logged'],
      [403, 'The setup token is wrong: copy it again from the log of the api'],
    ]);
    expect((await register({ setup_token: await setupToken(), invite_token })).status).toBe(422);
    const { rows } = await served.api.database.system.query('select 1 from users');
    expect(rows).toEqual([]);
  });

  test('gives another database another setup token under the same key', async () => {
    const before = await setupToken();
    await served.api.database.system.query(
      `update schema_migrations set executed_at = executed_at + interval '1 minute'`,
    );
    expect([before, await setupToken()]).toEqual([
      expect.stringMatching(/^et_setup_/),
      expect.not.stringContaining(before ?? ''),
    ]);
  });

  test('makes the first account with the setup token, which is logged until then, as the owner of an organization, and no other', async () => {
    const setup_token = await setupToken();
    expect(await logged()).toEqual([
      expect.stringContaining(`https://everturn.example.com/register?setup_token=${setup_token}`),
    ]);
    expect(await logged('open')).toEqual([]);
    expect(await register({ setup_token })).toMatchObject({ status: 201, roles: ['owner'] });
    expect(await logged()).toEqual([]);
    expect(await server()).toMatchObject({ registration, has_accounts: true, needs_setup_token: false });
    expect(await register({ setup_token, email: newEmail() })).toMatchObject({
      status: 403,
      detail: 'This server is already set up; the setup token only works for the first account',
    });
  });

  test('answers 403 without an invite', async () => {
    expect(await register({ email: newEmail() })).toMatchObject({
      status: 403,
      detail: `Registration ${registration === 'invite' ? 'needs an invite' : 'is closed'} on this server`,
    });
  });

  /** Signs in a user who registered before registration was restricted. */
  const signInOwner = async (): Promise<Pick<TestUser, 'client' | 'orgId'>> => {
    const account = {
      email: newEmail(),
      fullName: '',
      passwordHash: await new Passwords().hash(BODY.password),
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
