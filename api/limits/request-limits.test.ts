import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Database } from '../../db/core/database.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { type ApiAnswer, ApiClient } from '../../test/support/api-client.ts';
import { createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { SocketClient } from '../../test/support/socket-client.ts';
import { startTestApi, type TestApi } from '../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { SharedAllowance } from './request-limits.ts';

describe('request limits', () => {
  let database: TestDatabase;
  /** A database on which nothing is counted. */
  let free: TestApi;
  let first: TestApi;
  let second: TestApi;

  const RATES = { perUser: 60, perKey: 20, perAddress: 30, perWebhook: 20 };

  beforeAll(async () => {
    database = await createTestDatabase();
    const options = { databaseUrl: database.url, temporalAddress: '127.0.0.1:1' };
    free = await startTestApi(options);
    first = await startTestApi({ ...options, requestRates: RATES });
    second = await startTestApi({ ...options, requestRates: RATES });
  });
  afterAll(async () => {
    await Promise.all([free, first, second].map(async (api) => api.close()));
    await database.drop();
  });

  interface Sent {
    readonly count: number;
    readonly token?: string | undefined;
    readonly path?: string;
  }

  /** Sends concurrent requests, to both processes in turn. */
  async function send({ count, token, path = '/api/permissions/catalog' }: Sent): Promise<ApiAnswer[]> {
    return Promise.all(
      Array.from({ length: count }, async (_, index) =>
        new ApiClient((index % 2 === 0 ? first : second).url, token).get(path),
      ),
    );
  }

  const newUser = async (): Promise<TestUser> => registerUser(free.url);
  const countOf = (answers: readonly ApiAnswer[], status: number) =>
    answers.filter((each) => each.status === status).length;

  describe('requests of one user', () => {
    test('are let through as often as the limit says when 200 come at once to two processes', async () => {
      const user = await newUser();
      const answers = await send({ count: 200, token: user.accessToken });
      expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([60, 140]);
      const refused = answers.find(({ status }) => status === 429);
      const seconds = Number(refused?.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(refused?.json).toEqual({ detail: 'Too many requests; slow down and try again later' });
      const other = await newUser();
      expect(countOf(await send({ count: 10, token: other.accessToken }), 200)).toBe(10);
    });

    test('count when they are refused for another reason too, and when they open a socket', async () => {
      const user = await newUser();
      const chatId = await createChat(user.client);
      expect(countOf(await send({ count: 59, token: user.accessToken, path: `/api/agents/${user.id}` }), 404)).toBe(59);
      const socket = await SocketClient.connect(first.url, chatId, user.accessToken);
      socket.close();
      await expect(SocketClient.connect(second.url, chatId, user.accessToken)).rejects.toThrow('429');
    });
  });

  describe('requests with one key', () => {
    test('are let through as often as the limit of keys says, and leave the rest to other keys', async () => {
      const user = await newUser();
      const newKey = async () =>
        (await user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'k' })).json.key;
      const [one, two] = [await newKey(), await newKey()];
      expect(countOf(await send({ count: 35, token: one }), 200)).toBe(20);
      expect(countOf(await send({ count: 25, token: two }), 200)).toBe(20);
      // Requests that were rejected for the keys have cost the user nothing.
      expect(countOf(await send({ count: 30, token: user.accessToken }), 200)).toBe(20);
    });
  });

  describe('requests for what is not there', () => {
    test.each([
      ['/nothing', '203.0.113.1'],
      ['/api/nothing', '203.0.113.2'],
      ['/api/%ff', '203.0.113.3'],
    ])('are counted by their address: %s', async (path, address) => {
      const options = { databaseUrl: database.url, temporalAddress: '127.0.0.1:1', trustedProxies: '127.0.0.1' };
      const behindProxy = await startTestApi({ ...options, requestRates: RATES });
      const ask = async (from: string) =>
        new ApiClient(behindProxy.url).get(path, { 'x-forwarded-for': from }).then(({ status }) => status);
      const statuses = await Promise.all(Array.from({ length: 50 }, async () => ask(address)));
      expect([statuses.filter((each) => each === 404).length, statuses.filter((each) => each === 429).length]).toEqual([
        30, 20,
      ]);
      expect(await ask('203.0.113.9')).toBe(404);
      await behindProxy.close();
    });
  });

  describe('requests without good credentials', () => {
    test('are counted by their address, and do not block those that have some', async () => {
      const user = await newUser();
      const answers = await send({ count: 100, token: 'et_key_wrong' });
      expect([countOf(answers, 401), countOf(answers, 429)]).toEqual([30, 70]);
      expect(countOf(await send({ count: 5, path: '/api/orgs/invite/et_inv_unknown' }), 429)).toBe(5);
      for (const path of ['/api/nothing', '/.env', '/api/%ff', '/healthz/x'])
        expect(countOf(await send({ count: 4, path }), 429)).toBe(4);
      expect((await new ApiClient(first.url).delete('/healthz')).status).toBe(429);
      expect(countOf(await send({ count: 5, path: '/healthz' }), 200)).toBe(5);
      expect(countOf(await send({ count: 5, token: user.accessToken }), 200)).toBe(5);
    });
  });
});

describe('shared allowance', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = await connectDatabase({ url: testDatabase.url, poolSize: 4 });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  /** Creates the allowances of several processes that share a limit. */
  function processes(count: number, limit: number, windowSeconds = 60): SharedAllowance[] {
    const name = randomUUID();
    return Array.from({ length: count }, () => new SharedAllowance(database, { name, limit, windowSeconds }));
  }

  /** Runs `work` and returns how many statements it sent to the database. */
  async function countStatements(work: () => Promise<void>): Promise<number> {
    const query = jest.spyOn(database.system, 'query');
    try {
      await work();
      return query.mock.calls.length;
    } finally {
      query.mockRestore();
    }
  }

  /** Takes once from each in turn, all at the same time, and returns how many succeeded. */
  async function takeAtOnce(allowances: readonly SharedAllowance[], times: number): Promise<number> {
    const results = await Promise.allSettled(
      Array.from({ length: times }, async (_, index) => allowances[index % allowances.length]?.take('key')),
    );
    return results.filter(({ status }) => status === 'fulfilled').length;
  }

  describe('an allowance that processes share', () => {
    test.each([1, 7, 50, 100, 150])('lets exactly %d of 200 requests through that come at once', async (limit) => {
      expect(await takeAtOnce(processes(1, limit), 200)).toBe(limit);
      expect(await takeAtOnce(processes(2, limit), 200)).toBe(limit);
    });

    test('lets through no more than the limit, and at most a block a process less, however the requests come', async () => {
      const [first, second, third] = processes(3, 1_000);
      const all = [first, second, third].filter((each) => each !== undefined);
      let passed = await takeAtOnce(all, 30);
      passed += await takeAtOnce(all.slice(0, 1), 2_000);
      expect(passed).toBeLessThanOrEqual(1_000);
      expect(passed).toBeGreaterThanOrEqual(1_000 - 2 * 10);
      passed += await takeAtOnce(all, 300);
      expect(passed).toBe(1_000);
    });

    test('says when the next window begins, and then lets through again', async () => {
      const [allowance] = processes(1, 2);
      expect(await takeAtOnce(allowance ? [allowance] : [], 5)).toBe(2);
      const refusal: unknown = await allowance?.take('key').catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'limit_reached', retryAfterSeconds: expect.any(Number) });
      const { retryAfterSeconds } = refusal as { readonly retryAfterSeconds: number };
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() + retryAfterSeconds * 1_000);
      const pass = async () =>
        allowance?.take('key').then(
          () => true as const,
          () => undefined,
        );
      expect(await waitUntil('the next window', pass)).toBe(true);
      jest.restoreAllMocks();
    });

    test('counts each key by itself', async () => {
      const [allowance] = processes(1, 1);
      await allowance?.take('a');
      await allowance?.take('b');
      await expect(allowance?.take('a')).rejects.toMatchObject({ code: 'limit_reached' });
    });

    test.each([
      [1, 1],
      [100, 1],
      [101, 2],
      [250, 3],
    ])('asks the database once for a hundred requests: for %d of them %d times', async (requests, statements) => {
      const [allowance] = processes(1, 10_000);
      const sent = await countStatements(async () => {
        for (let taken = 0; taken < requests; taken += 1) await allowance?.take('key');
      });
      expect(sent).toBe(statements);
    });
  });
});
