import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/core/index.ts';
import { connectDatabase } from '../../db/orm/index.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { SharedAllowance } from './shared-allowance.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = await connectDatabase({ url: place.url, poolSize: 4 });
});
afterAll(async () => {
  await database.close();
  await place.drop();
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
    const [allowance] = processes(1, 2, 3);
    expect(await takeAtOnce(allowance ? [allowance] : [], 5)).toBe(2);
    await expect(allowance?.take('key')).rejects.toMatchObject({
      code: 'limit_reached',
      retryAfterSeconds: expect.any(Number),
    });
    const pass = async () =>
      allowance?.take('key').then(
        () => true,
        () => undefined,
      );
    expect(await waitUntil('the next window', pass)).toBe(true);
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
