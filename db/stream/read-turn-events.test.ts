import { randomUUID } from 'node:crypto';
import { beforeEach, expect, jest, test } from '@jest/globals';
import { ChatFixture, type StepFixture } from '../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { purgeTurnEvents } from './read-turn-events.ts';

const database = serveTestDatabase({ poolSize: 4 });
beforeEach(async () => {
  await database.system.query('delete from turn_events');
});

/** Begins a turn with so many events that are a minute old. */
async function beginTurn(events: number): Promise<StepFixture> {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const step = await chat.begin();
  await insertEvents(step.turnId, chat.ref.orgId, events);
  return step;
}

async function insertEvents(turnId: string, orgId: string, events: number): Promise<void> {
  await database.system.query(
    `insert into turn_events (turn_id, attempt, seq, org_id, event, created_at)
     select $1, 1, seq, $2, '{}', now() - interval '1 minute' from generate_series(1, $3::int) seq`,
    [turnId, orgId, events],
  );
}

async function endedAMinuteAgo(events: number): Promise<StepFixture> {
  const step = await beginTurn(events);
  await step.end();
  await database.system.query("update turns set ended_at = now() - interval '1 minute' where id = $1", [step.turnId]);
  return step;
}

async function countEvents(): Promise<Record<string, number>> {
  const { rows } = await database.system.query<{ turnId: string; count: number }>(
    'select turn_id as "turnId", count(*) as count from turn_events group by turn_id',
  );
  return Object.fromEntries(rows.map(({ turnId, count }) => [turnId, count]));
}

test('the events of turns that ended are deleted; those of open turns and of turns that ended just now stay', async () => {
  const open = await beginTurn(3);
  const justEnded = await beginTurn(4);
  await justEnded.end();
  await endedAMinuteAgo(5);
  await insertEvents(randomUUID(), open.ref.orgId, 2);
  await purgeTurnEvents(database);
  expect(await countEvents()).toEqual({ [open.turnId]: 3, [justEnded.turnId]: 4 });
});

test('a backlog is deleted by several statements, none of which deletes more than ten thousand events', async () => {
  await endedAMinuteAgo(15_000);
  await endedAMinuteAgo(8_000);
  const sent = jest.spyOn(database.system, 'query');
  await purgeTurnEvents(database);
  const results = await Promise.all(sent.mock.results.map(async ({ value }) => value));
  sent.mockRestore();
  expect(results).toMatchObject([{ rowCount: 10_000 }, { rowCount: 10_000 }, { rowCount: 3_000 }]);
  expect(await countEvents()).toEqual({});
});

test('events that another worker is deleting are left to it', async () => {
  const { turnId } = await endedAMinuteAgo(10);
  const other = await database.system.connect();
  try {
    await other.query('begin');
    await other.query('delete from turn_events where turn_id = $1 and seq <= 4', [turnId]);
    await purgeTurnEvents(database);
    expect(await countEvents()).toEqual({ [turnId]: 4 });
    await other.query('commit');
  } finally {
    other.release(true);
  }
  expect(await countEvents()).toEqual({});
});
