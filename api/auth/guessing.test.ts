import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApiClient } from '../../test/support/api-client.ts';
import { forgetAttempts } from '../../test/support/forget-attempts.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { createAddressDigests } from '../limits/client-address.ts';

interface Account {
  readonly email: string;
  readonly password: string;
}

const FORMER_KEY = 'the key before the one of the tests';

// Every client comes through a proxy on this machine, which forwards its address.
const served = serveTestApi({ trustedProxies: '127.0.0.1', secretKeys: [TEST_SECRET_KEY, FORMER_KEY] });
const system = async (text: string, values: unknown[] = []) => served.api.database.system.query(text, values);
beforeEach(async () => forgetAttempts(served.api.database));

const HOME = '198.51.100.7';
const WRONG = 'not the password';
const from = (address: string) => ({ 'x-forwarded-for': address });
const login = async (email: string, password: string, address: string) =>
  new ApiClient(served.url).post<{ access_token: string }>('/api/auth/login', { email, password }, from(address));
const statusOf = async (...sent: Parameters<typeof login>) => (await login(...sent)).status;
/** Addresses that no other test has used. */
let used = 0;
const newAddress = () => `203.0.${Math.floor((used += 1) / 250)}.${used % 250}`;

async function register(address: string): Promise<Account> {
  const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const answer = await new ApiClient(served.url).post('/api/auth/register', account, from(address));
  if (answer.status !== 201) throw new Error(`the registration answered ${answer.status}`);
  return account;
}

/** Guesses from five addresses, ten times each: the limit for one account. Returns the statuses. */
async function guessEverywhere(email: string): Promise<number[]> {
  const addresses = Array.from({ length: 5 }, newAddress);
  return Promise.all(
    addresses.flatMap((address) => Array.from({ length: 10 }, async () => statusOf(email, WRONG, address))),
  );
}

async function exhaustAccount(email: string): Promise<void> {
  expect(new Set(await guessEverywhere(email))).toEqual(new Set([401]));
}

/** Guesses from one address at a hundred unknown accounts. */
async function exhaustAddress(address: string): Promise<void> {
  const statuses = [];
  for (let n = 0; n < 100; n += 1) statuses.push(await statusOf(`${n}-${randomUUID()}@example.com`, WRONG, address));
  expect(new Set(statuses)).toEqual(new Set([401]));
}

describe('guessing', () => {
  test('slows the pair of account and address down, and no other', async () => {
    const [account, other] = [await register(HOME), await register(HOME)];
    const thief = newAddress();
    for (let n = 0; n < 10; n += 1) expect(await statusOf(account.email, WRONG, thief)).toBe(401);
    const answer = await login(account.email, account.password, thief);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(600);
    expect(await statusOf(account.email, account.password, HOME)).toBe(200);
    expect(await statusOf(account.email, account.password, newAddress())).toBe(200);
    expect(await statusOf(other.email, other.password, thief)).toBe(200);
  });

  test('lets no more through when it continues after the pair was refused, and costs the account nothing more', async () => {
    const account = await register(HOME);
    const thief = newAddress();
    for (let n = 0; n < 80; n += 1) await statusOf(account.email, WRONG, thief);
    expect(await statusOf(account.email, account.password, newAddress())).toBe(200);
  });

  test('at an account from many addresses keeps new ones out, and those that it is used from in', async () => {
    const account = await register(HOME);
    const office = newAddress();
    expect(await statusOf(account.email, account.password, office)).toBe(200);
    await exhaustAccount(account.email);
    const stranger = newAddress();
    expect(await statusOf(account.email, WRONG, stranger)).toBe(429);
    expect(await statusOf(account.email, account.password, stranger)).toBe(429);
    for (const known of [HOME, office]) expect(await statusOf(account.email, account.password, known)).toBe(200);
    expect(await statusOf(account.email, account.password, stranger)).toBe(429);
  });

  test('lets no more than fifty through when they come all at once, each from an address of its own', async () => {
    const account = await register(HOME);
    const answers = await Promise.all(
      Array.from({ length: 120 }, async () => statusOf(account.email, WRONG, newAddress())),
    );
    expect(answers.filter((status) => status === 401)).toHaveLength(50);
    expect(answers.filter((status) => status === 429)).toHaveLength(70);
    expect(await statusOf(account.email, account.password, HOME)).toBe(200);
  });

  test('from one address at many accounts keeps out of all of them but those that are used from there', async () => {
    const nat = newAddress();
    const [neighbour, stranger] = [await register(nat), await register(HOME)];
    await exhaustAddress(nat);
    expect(await statusOf(stranger.email, stranger.password, nat)).toBe(429);
    expect(await statusOf(neighbour.email, neighbour.password, nat)).toBe(200);
    expect(await statusOf(stranger.email, stranger.password, HOME)).toBe(200);
  });

  test('is answered alike for accounts that there are and those that there are not, at every stage', async () => {
    const account = await register(HOME);
    const unknown = `${randomUUID()}@example.com`;
    const answersTo = async (email: string) => {
      const [pair, ...others] = [newAddress(), ...Array.from({ length: 4 }, newAddress)];
      const answers = [];
      for (let n = 0; n < 11; n += 1) answers.push(await login(email, WRONG, pair ?? ''));
      for (const address of others) for (let n = 0; n < 10; n += 1) answers.push(await login(email, WRONG, address));
      answers.push(await login(email, WRONG, newAddress()));
      return answers.map(({ status, json }) => ({ status, json }));
    };
    expect(await answersTo(unknown)).toEqual(await answersTo(account.email));
  });

  test('reveals nothing to users of the same address about accounts that are used from there, once it is refused', async () => {
    const nat = newAddress();
    const neighbour = await register(nat);
    await exhaustAddress(nat);
    const [wrong, unknown] = [
      await login(neighbour.email, WRONG, nat),
      await login(`${randomUUID()}@example.com`, WRONG, nat),
    ];
    expect([wrong.status, wrong.json]).toEqual([unknown.status, unknown.json]);
    expect(wrong.status).toBe(429);
    // A known address gets no more guesses than any other.
    for (let n = 0; n < 9; n += 1) await login(neighbour.email, WRONG, nat);
    expect(await statusOf(neighbour.email, neighbour.password, nat)).toBe(429);
  });

  test('counts an IPv6 address by its /64', async () => {
    const account = await register(HOME);
    for (let n = 0; n < 10; n += 1) expect(await statusOf(account.email, WRONG, `2001:db8:5:6::${n}`)).toBe(401);
    expect(await statusOf(account.email, account.password, '2001:db8:5:6:ffff::1')).toBe(429);
    expect(await statusOf(account.email, account.password, '2001:db8:5:7::1')).toBe(200);
  });

  test('is over with the quarter of an hour', async () => {
    const account = await register(HOME);
    await exhaustAccount(account.email);
    await system("update rate_limits set expire = $1 where key like 'login-%'", [Date.now() - 1]);
    expect(await statusOf(account.email, account.password, newAddress())).toBe(200);
  });

  test('at the current password, when it is to be changed, is slowed down likewise', async () => {
    const account = await register(HOME);
    const { access_token: token } = (await login(account.email, account.password, HOME)).json;
    const change = async (current: string, address: string) =>
      new ApiClient(served.url, token).send(
        'PATCH',
        '/api/users/me',
        { password: 'another horse and battery', current_password: current },
        from(address),
      );
    const thief = newAddress();
    for (let n = 0; n < 10; n += 1) expect((await change(WRONG, thief)).status).toBe(403);
    expect((await change(account.password, thief)).status).toBe(429);
    expect((await guessEverywhere(account.email)).filter((status) => status === 401)).toHaveLength(40);
    expect((await change(account.password, newAddress())).status).toBe(429);
    expect((await change(account.password, HOME)).status).toBe(200);
  });
});

describe('an address that an account is used from', () => {
  const known = async ({ email }: Account) =>
    (await system('select 1 from known_addresses k join users u on u.id = k.user_id where u.email = $1', [email])).rows
      .length;

  test('is forgotten ninety days after the last sign-in', async () => {
    const account = await register(HOME);
    await system("update known_addresses set last_used_at = now() - interval '91 days'");
    await exhaustAccount(account.email);
    expect(await statusOf(account.email, account.password, HOME)).toBe(429);
  });

  test('is one of fifty at most, the latest', async () => {
    const account = await register(HOME);
    for (let n = 0; n < 55; n += 1) expect(await statusOf(account.email, account.password, newAddress())).toBe(200);
    expect(await known(account)).toBe(50);
    await exhaustAccount(account.email);
    expect(await statusOf(account.email, account.password, HOME)).toBe(429);
  });

  test('is forgotten with a new password, but the one that it was set from', async () => {
    const account = await register(HOME);
    const thief = newAddress();
    const { access_token: token } = (await login(account.email, account.password, thief)).json;
    expect(await known(account)).toBe(2);
    const body = { password: 'another horse and battery', current_password: account.password };
    await new ApiClient(served.url, token).send('PATCH', '/api/users/me', body, from(HOME));
    expect(await known(account)).toBe(1);
    await exhaustAccount(account.email);
    expect(await statusOf(account.email, body.password, thief)).toBe(429);
    expect(await statusOf(account.email, body.password, HOME)).toBe(200);
  });

  test('is recognized by a digest with a former key, and stored with the current one at the next sign-in', async () => {
    const account = await register(HOME);
    const [digest] = createAddressDigests([FORMER_KEY])(`${account.email}\n${HOME}`);
    await system('update known_addresses k set digest = $2 from users u where u.id = k.user_id and u.email = $1', [
      account.email,
      digest,
    ]);
    await exhaustAccount(account.email);
    expect(await statusOf(account.email, account.password, HOME)).toBe(200);
    expect(await known(account)).toBe(2);
  });

  test('is stored as a digest from which it cannot be derived', async () => {
    const [one, other] = [await register(HOME), await register(HOME)];
    const { rows } = await system(
      `select encode(k.digest, 'escape') as digest from known_addresses k join users u on u.id = k.user_id
        where u.email in ($1, $2)`,
      [one.email, other.email],
    );
    expect(new Set(rows.map(({ digest }: { digest: string }) => digest)).size).toBe(2);
    expect(JSON.stringify(rows)).not.toContain(HOME);
  });
});
