import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { DatabaseBusy } from './database-busy.ts';
import { connectDatabase, type Database } from './database.ts';
import { inOrg } from './in-org.ts';
import { isDatabaseUnavailable, tookTooLong } from './unavailable.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 4, statementTimeoutMs: 2_000 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const [busy, quiet] = [randomUUID(), randomUUID()];
const sleepFor = (seconds: number) => ({ text: 'select pg_sleep($1)', values: [seconds] });

describe('a statement of an organization', () => {
  test('is ended when it takes too long, and those after it are still run', async () => {
    const late = await database.tenant.query(busy, sleepFor(20)).catch((error: unknown) => error);
    expect(tookTooLong(late)).toBe(true);
    expect(tookTooLong(new Error('else'))).toBe(false);
    await expect(database.tenant.query(busy, sleepFor(0))).resolves.toHaveLength(1);
  });

  test('does not wait for the slow ones of another, however many those are', async () => {
    const slow = Array.from({ length: 12 }, async () => database.tenant.query(busy, sleepFor(0.5)));
    const startedAt = performance.now();
    for (let round = 0; round < 20; round += 1) await database.tenant.query(quiet, sleepFor(0));
    expect(performance.now() - startedAt).toBeLessThan(400);
    await expect(Promise.all(slow)).resolves.toHaveLength(12);
  });

  test('is refused when those of its organization before it take too long, or are too many', async () => {
    const errorOf = async (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);
    const slow = Array.from({ length: 7 }, async () => errorOf(database.tenant.query(busy, sleepFor(1.5))));
    const many = Array.from({ length: 1_000 }, async () => errorOf(database.tenant.query(busy, sleepFor(0))));
    const outcomes = await Promise.all(slow);
    expect(outcomes.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => undefined));
    expect(outcomes[6]).toBeInstanceOf(DatabaseBusy);
    const refused = (await Promise.all(many)).filter((error) => error !== undefined);
    expect(refused.length).toBeGreaterThan(4);
    expect(refused.every(isDatabaseUnavailable)).toBe(true);
    await expect(database.tenant.query(busy, sleepFor(0))).resolves.toHaveLength(1);
  });

  test('does not wait for the transactions of another either', async () => {
    const slow = Array.from({ length: 12 }, async () =>
      inOrg(database, busy, (em) => em.execute('select pg_sleep(0.5)')),
    );
    const startedAt = performance.now();
    for (let round = 0; round < 20; round += 1) await inOrg(database, quiet, (em) => em.execute('select 1'));
    expect(performance.now() - startedAt).toBeLessThan(400);
    await Promise.all(slow);
  });
});
