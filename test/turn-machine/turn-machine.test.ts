import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '../../db/core/database.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { inLength, isLong } from '../support/in-length.ts';
import { seedOf } from '../support/random-seed.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type Action, actions, callActions, type Tested } from './commands.ts';
import { Machine } from './machine.ts';
import { Promises } from './promises.ts';

/** The longest sequence of actions on one chat. */
const LONGEST = 30;
/** More steps than any chat of such a sequence needs to its end. */
const ENOUGH = 200;

let testDatabase: TestDatabase;
let database: Database;

const steps = Number(process.env['EVERTURN_MODEL_STEPS'] ?? inLength(150, 10_000));
const seed = seedOf('EVERTURN_MODEL_SEED', { isRandom: isLong });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 4 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

describe('whatever happens in whatever order', () => {
  test('messages are answered once and in order, and calls have the effects that the ledger says', async () => {
    await explore({ steps, seed, of: actions, begin: beginChat });
  });

  test('the calls of a turn are made once, or again where that is harmless', async () => {
    await explore({ steps, seed, of: callActions, begin: beginCalls });
  });
});

interface Exploration {
  readonly steps: number;
  readonly seed: number;
  readonly of: fc.Arbitrary<Action>;
  readonly begin: (tested: Tested) => Promise<void>;
}

async function explore({ steps, seed, of, begin }: Exploration): Promise<void> {
  let taken = 0;
  const sequence = fc.array(of, { minLength: 1, maxLength: LONGEST, size: 'max' });
  const property = fc.asyncProperty(sequence, async (chosen) => {
    const machine = await Machine.create(database);
    const tested = { machine, promises: new Promises() };
    try {
      await begin(tested);
      for (const { run } of chosen) {
        await run(tested);
        await tested.promises.check(machine);
        taken += 1;
      }
      await comeToAnEnd(tested);
    } finally {
      await machine.close();
    }
  });
  const numRuns = Math.ceil(steps / (LONGEST / 2));
  process.stdout.write(`turn machine: EVERTURN_MODEL_SEED=${seed} EVERTURN_MODEL_STEPS=${steps}\n`);
  const result = await fc.check(property, { seed, numRuns });
  expect(taken).toBeGreaterThan(0);
  if (!result.failed) return;
  const names = result.counterexample?.[0].map(({ name }) => `  ${name}`).join('\n');
  throw new Error(`EVERTURN_MODEL_SEED=${seed}, after ${taken} actions:\n${names}`, { cause: result.errorInstance });
}

/** Has a message to answer. */
async function beginChat({ machine, promises }: Tested): Promise<void> {
  await machine.send('question', 'client');
  promises.questions.set('client', 'question');
}

/** Begins a turn with calls of each effect, one of which waits for a decision. */
async function beginCalls({ machine, promises }: Tested): Promise<void> {
  await beginChat({ machine, promises });
  const effects = ['read', 'keyed', 'once'] as const;
  await machine.step(
    [...effects, ...effects].map((effect, index) => ({ effect, asks: index >= 5 })),
    false,
  );
}

/** Everybody who was taken for dead wakes up; then one worker takes what is left to its end. */
async function comeToAnEnd({ machine, promises }: Tested): Promise<void> {
  for (const { wake } of machine.ghosts.splice(0)) await wake();
  await promises.check(machine);
  for (let taken = 0; taken < ENOUGH; taken += 1) {
    const { turns, calls } = await promises.check(machine);
    if (turns.every(({ status }) => status !== 'queued' && status !== 'running')) return;
    for (const { approval, approvalId } of calls)
      if (approval === 'pending' && approvalId !== null) await machine.decide(approvalId, 'approved');
    for (const callId of await machine.step('text', false)) await machine.attempt(callId, 'done');
  }
  expect((await machine.rows()).turns).toEqual('all of them at their end');
}
