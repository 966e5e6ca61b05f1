import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { connectDatabase } from '../orm/connect.ts';
import type { Database } from './database.ts';
import { withOrgTransaction } from './transactions.ts';
import { DatabaseBusy, isDatabaseUnavailable, isSerializationFailure, isStatementTimeout } from './unavailable.ts';

describe('sql pool', () => {
  const PATIENCE_MS = 60_000;
  let testDatabase: TestDatabase;
  let database: Database;
  /** A database whose statements may wait for as long as a test takes. */
  let patient: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = await connectDatabase({ url: testDatabase.url, poolSize: 4, statementTimeoutMs: 2_000 });
    patient = await connectDatabase({ url: testDatabase.url, poolSize: 4, statementTimeoutMs: PATIENCE_MS });
  });
  afterAll(async () => {
    await database.close();
    await patient.close();
    await testDatabase.drop();
  });

  const [busy, quiet] = [randomUUID(), randomUUID()];
  const PASS_GATE = { text: 'select pg_advisory_xact_lock(1)', values: [] };
  const sleepFor = (seconds: number) => ({ text: 'select pg_sleep($1)', values: [seconds] });

  /** Closes the gate, and returns what opens it. */
  async function closeGate(): Promise<() => Promise<void>> {
    const gate = await patient.system.connect();
    await gate.query('select pg_advisory_lock(1)');
    return async () => {
      await gate.query('select pg_advisory_unlock(1)');
      gate.release();
    };
  }

  const errorOf = async (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  describe('a statement of an organization', () => {
    test('is ended when it takes too long, and those after it are still run', async () => {
      const late = await errorOf(database.tenant.query(busy, sleepFor(20)));
      expect(isStatementTimeout(late)).toBe(true);
      expect(isStatementTimeout(new Error('else'))).toBe(false);
      // On a busy machine those after it may take too long as well.
      await waitUntil('one after it to be run', async () =>
        (await errorOf(database.tenant.query(busy, sleepFor(0)))) === undefined ? true : undefined,
      );
    });

    test('is refused when those of its organization before it take too long, or are too many', async () => {
      const openGate = await closeGate();
      const slow = Array.from({ length: 3 }, async () => patient.tenant.query(busy, PASS_GATE));
      await waitUntil('all of its connections to be held', async () => {
        const { rows } = await patient.system.query("select from pg_locks where locktype = 'advisory' and not granted");
        return rows.length === slow.length ? true : undefined;
      });
      jest.useFakeTimers();
      const late = errorOf(patient.tenant.query(busy, sleepFor(0)));
      jest.advanceTimersByTime(PATIENCE_MS);
      jest.useRealTimers();
      expect(await late).toBeInstanceOf(DatabaseBusy);
      const many = Array.from({ length: 1_005 }, async () => errorOf(patient.tenant.query(busy, sleepFor(0))));
      await openGate();
      expect(await Promise.all(slow)).toHaveLength(3);
      const refused = (await Promise.all(many)).filter((error) => error !== undefined);
      expect(refused).toHaveLength(5);
      expect(refused.every(isDatabaseUnavailable)).toBe(true);
      await expect(patient.tenant.query(busy, sleepFor(0))).resolves.toHaveLength(1);
    });

    test.each([
      [
        'statements',
        async () => patient.tenant.query(busy, PASS_GATE),
        async () => patient.tenant.query(quiet, sleepFor(0)),
      ],
      [
        'transactions',
        async () => withOrgTransaction(patient, busy, (em) => em.execute(PASS_GATE.text)),
        async () => withOrgTransaction(patient, quiet, (em) => em.execute('select 1')),
      ],
    ])('does not wait for the slow %s of another, however many those are', async (_what, pass, ask) => {
      const openGate = await closeGate();
      const slow = Array.from({ length: 12 }, pass);
      // They would wait until the test times out if they needed what the slow ones hold.
      for (let round = 0; round < 20; round += 1) await ask();
      await openGate();
      expect(await Promise.all(slow)).toHaveLength(12);
    });
  });

  test('transactions that lose their connections leave room for others', async () => {
    for (let lost = 0; lost < 4; lost += 1) {
      const broken = withOrgTransaction(database, busy, (em) =>
        em.execute('select pg_terminate_backend(pg_backend_pid())'),
      );
      expect(isDatabaseUnavailable(await errorOf(broken))).toBe(true);
    }
    await expect(withOrgTransaction(database, busy, (em) => em.execute('select 1 as one'))).resolves.toEqual([
      { one: 1 },
    ]);
  });

  describe('a server that leaves a statement without a response', () => {
    let hasty: Database;
    beforeAll(async () => {
      const patience = { statementTimeoutMs: PATIENCE_MS, responseLimitMs: 250 };
      hasty = await connectDatabase({ url: testDatabase.url, poolSize: 2, ...patience });
    });
    afterAll(async () => hasty.close());

    test.each([
      ['a statement', async () => hasty.tenant.query(busy, PASS_GATE)],
      ['a transaction', async () => withOrgTransaction(hasty, busy, (em) => em.execute(PASS_GATE.text))],
      ['a statement for all organizations', async () => hasty.system.query(PASS_GATE.text)],
    ])('is unavailable to %s', async (_what, ask) => {
      const openGate = await closeGate();
      expect(isDatabaseUnavailable(await errorOf(ask()))).toBe(true);
      await openGate();
    });
  });

  test('a hint that fails does not fail the statement that it follows', async () => {
    const failing = { text: 'select 1 / 0', values: [], isHint: true };
    await expect(patient.tenant.series(busy, [sleepFor(0), failing])).resolves.toMatchObject([[{}], []]);
    await expect(patient.tenant.query(busy, sleepFor(0))).resolves.toHaveLength(1);
  });

  describe('a statement that PostgreSQL aborts because of a concurrent one', () => {
    const abort = "raise exception using errcode = '40P01'";
    // What is taken from a sequence stays taken when the statement is rolled back: each second try goes through.
    const abortOnce = {
      text: `do $$ begin if nextval(pg_get_serial_sequence('turns', 'seq')) % 2 = 1 then ${abort}; end if; end $$`,
      values: [],
    };

    test('is run again', async () => {
      await expect(patient.tenant.query(quiet, abortOnce)).resolves.toEqual([]);
      await expect(patient.system.query(abortOnce.text)).resolves.toMatchObject({ command: 'DO' });
    });

    test('fails when that happens each time', async () => {
      const text = `do $$ begin ${abort}; end $$`;
      const outcomes = await Promise.allSettled([
        patient.tenant.query(quiet, { text, values: [] }),
        patient.system.query(text),
      ]);
      for (const outcome of outcomes) {
        expect(outcome.status === 'rejected' && isSerializationFailure(outcome.reason)).toBe(true);
      }
    });
  });
});
