import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type AttemptRecord, MAX_ATTEMPTS_KEPT } from '../../../domain/turns.ts';
import { ChatFixture } from '../../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../../test/support/serve-test-database.ts';
import { claimTurn } from '../claim/claim-turn.ts';
import { releaseLease } from '../leases.ts';
import { storeWorkSlotWait } from '../work-slots.ts';
import { storeWait } from './store-wait.ts';

const database = serveTestDatabase({ poolSize: 2 });
const until = new Date(Date.now() - 1_000);

/** Opens a turn; `claim` begins an attempt at its first step. */
async function openTurn() {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const { orgId } = chat.ref;
  const claim = async (runner?: string) => {
    const turn = await claimTurn(database, chat.ref, { ...(runner && { runner }) });
    if (turn === undefined) throw new Error('no turn is open');
    return { orgId, turnId: turn.id, attempt: turn.attempt, step: turn.step };
  };
  const kept = async () => {
    const { rows } = await database.system.query<{ trace: readonly AttemptRecord[] }>(
      'select trace from turns where chat_id = $1',
      [chat.ref.chatId],
    );
    return rows[0]?.trace ?? [];
  };
  return { claim, kept, orgId };
}

test('polls of the same thing that a turn waits for are one wait, and anything else is an attempt', async () => {
  const { claim, kept } = await openTurn();
  for (let poll = 0; poll < 5; poll += 1) await storeWorkSlotWait(database, await claim(), until);
  await storeWait(database, await claim(), until);
  for (let poll = 0; poll < 3; poll += 1) await storeWait(database, await claim(), until);
  await claim();
  expect((await kept()).map(({ at: _at, ...more }) => more)).toEqual([
    { waitsFor: 'place' },
    { waitsFor: 'provider', tries: [] },
    {},
  ]);
});

test('of many attempts the first and the last are kept, with the number of those between them', async () => {
  const { claim, kept } = await openTurn();
  for (let attempt = 0; attempt < MAX_ATTEMPTS_KEPT + 10; attempt += 1) await claim();
  const trace = await kept();
  expect(trace).toHaveLength(MAX_ATTEMPTS_KEPT);
  expect(trace.flatMap(({ leftOut }, index) => (leftOut === undefined ? [] : [[index, leftOut]]))).toEqual([[7, 10]]);
  const times = trace.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('an attempt whose lease is released without an outcome was given up, and one that waits was not', async () => {
  const { claim, kept, orgId } = await openTurn();
  const runner = randomUUID();
  const { turnId } = await claim(runner);
  await releaseLease(database, { orgId, turnId, runner });
  const second = await claim(runner);
  await storeWait(database, second, until);
  await releaseLease(database, { orgId, turnId, runner });
  expect((await kept()).map(({ at: _at, ...more }) => more)).toEqual([
    { isReleased: true },
    { waitsFor: 'provider', tries: [] },
  ]);
});
