import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ChatFixture } from '../../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../../test/support/serve-test-database.ts';
import { claimTurn } from './claim-turn.ts';
import { finishTurn } from '../steps/finish-turn.ts';
import { hasOpenTurn, releaseLease, renewLeases } from '../leases.ts';
import { PLAIN_END } from '../../../test/support/plain-end.ts';

const database = serveTestDatabase({ poolSize: 4 });
const [mine, other] = [randomUUID(), randomUUID()];

/** Creates a chat with so many turns that wait to be claimed. */
async function chatWithTurns(count: number) {
  const chat = await ChatFixture.create(database);
  for (let each = 0; each < count; each += 1) await chat.accept();
  const claim = async (runner: string, isHeadStart = false) =>
    claimTurn(database, chat.ref, { runner, isHeadStart, isFollowed: !isHeadStart });
  const endLease = async () =>
    database.system.query(`update turns set lease_until = now() - interval '1 second' where chat_id = $1`, [
      chat.ref.chatId,
    ]);
  return { chat, claim, endLease };
}

async function wakeTimeOf(turnId: string | undefined): Promise<number | undefined> {
  const { rows } = await database.system.query<{ seconds: number }>(
    'select extract(epoch from next_wake_at - now())::float as seconds from turns where id = $1',
    [turnId],
  );
  return rows[0]?.seconds;
}

test('a turn that a process runs is not claimed by another before the lease has run out', async () => {
  const { chat, claim, endLease } = await chatWithTurns(1);
  const first = await claim(mine);
  expect(await claim(other)).toBeUndefined();
  expect(await hasOpenTurn(database, chat.ref)).toBe(true);
  await endLease();
  expect(await claim(other)).toMatchObject({ id: first?.id, attempt: 2 });
});

test('a process may claim again what it runs itself', async () => {
  const { claim } = await chatWithTurns(1);
  await claim(mine);
  expect(await claim(mine)).toMatchObject({ attempt: 2 });
});

test('a turn whose lease was released is claimed at once', async () => {
  const { chat, claim } = await chatWithTurns(1);
  const turn = await claim(mine);
  await releaseLease(database, { orgId: chat.ref.orgId, turnId: turn?.id ?? '', runner: mine });
  expect(await claim(other)).toMatchObject({ attempt: 2 });
});

test('a process does not release the lease of another', async () => {
  const { chat, claim } = await chatWithTurns(1);
  const turn = await claim(mine);
  await releaseLease(database, { orgId: chat.ref.orgId, turnId: turn?.id ?? '', runner: other });
  expect(await claim(other)).toBeUndefined();
});

test('a head start claims a turn that nobody has claimed, and none twice', async () => {
  const { claim } = await chatWithTurns(1);
  expect(await claim(mine, true)).toMatchObject({ attempt: 1 });
  expect(await claim(mine, true)).toBeUndefined();
  expect(await claim(other, true)).toBeUndefined();
});

test('a head start gives what another claim would', async () => {
  const { chat, claim } = await chatWithTurns(1);
  const started = await claim(mine, true);
  await database.system.query(
    `update turns set status = 'queued', attempt = 0, step = -1, step_tries = 0, trace = '[]', is_at_work = false
    where chat_id = $1`,
    [chat.ref.chatId],
  );
  expect(await claim(mine)).toEqual({ ...started, ageMs: expect.any(Number) });
});

test('a head start does not overtake the turn before it', async () => {
  const { chat, claim } = await chatWithTurns(2);
  const first = await claim(mine, true);
  expect(await claim(mine, true)).toBeUndefined();
  const step = { orgId: chat.ref.orgId, turnId: first?.id ?? '', attempt: 1, step: 0 };
  await finishTurn(database, {
    ...step,
    chatId: chat.ref.chatId,
    status: 'completed',
    content: 'done',
    metadata: {},
    agentId: chat.agentId,
    ...PLAIN_END,
  });
  expect(await claim(mine, true)).toMatchObject({ attempt: 1 });
});

test('one of two head starts at the same time claims the turn', async () => {
  const { claim } = await chatWithTurns(1);
  const claims = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => claim(index < 2 ? mine : other, true)),
  );
  expect(claims.filter((turn) => turn !== undefined)).toHaveLength(1);
});

test('only the leases that a process still has are renewed', async () => {
  const [kept, lost, ended] = [await chatWithTurns(1), await chatWithTurns(1), await chatWithTurns(1)];
  const ids: string[] = [];
  for (const { claim } of [kept, lost, ended]) ids.push((await claim(mine))?.id ?? '');
  await lost.endLease();
  await lost.claim(other);
  await database.system.query(`update turns set status = 'completed', ended_at = now() where id = $1`, [ids[2]]);
  const leased = ids.map((id) => ({ id, isFollowed: true }));
  expect(await renewLeases(database, mine, leased)).toEqual([ids[0]]);
});

test('a turn that no workflow follows yet is due when its lease has run out, and later once one does', async () => {
  const { claim } = await chatWithTurns(1);
  const id = (await claim(mine, true))?.id ?? '';
  const due = async (isFollowed: boolean) => {
    await renewLeases(database, mine, [{ id, isFollowed }]);
    return wakeTimeOf(id);
  };
  expect(await wakeTimeOf(id)).toBeLessThanOrEqual(7);
  expect(await due(false)).toBeLessThanOrEqual(7);
  expect(await due(true)).toBeGreaterThan(60);
});
