import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import type { ClaimedTurn } from '../turns/claim/claimed-turn.ts';
import { claimTurn, noteRead, readHistory } from '../turns/claim/claim-turn.ts';
import { listTurnCalls } from '../turns/calls/list-turn-calls.ts';
import { releaseLease } from '../turns/leases.ts';
import type { StepRef } from '../turns/steps/step.ts';
import { storeStep } from '../turns/steps/store-step.ts';

const MEGABYTE = 1_000_000;
const STEPS = 10;

const database = serveTestDatabase({ poolSize: 2 });

async function claim(chat: ChatFixture): Promise<ClaimedTurn> {
  const turn = await claimTurn(database, chat.ref);
  if (turn === undefined) throw new Error('no turn is open');
  return turn;
}

function refOf({ ref: { orgId } }: ChatFixture, { id: turnId, attempt, step }: ClaimedTurn): StepRef {
  return { orgId, turnId, attempt, step };
}

/** Takes steps whose calls hold a megabyte each, the limit of a reply. */
async function takeSteps(chat: ChatFixture): Promise<ClaimedTurn> {
  await chat.accept();
  for (let step = 0; step < STEPS; step += 1) {
    const turn = await claim(chat);
    const { orgId } = chat.ref;
    const call = { id: randomUUID(), name: 'file_write', label: 'Write', effect: 'read' as const };
    const args = { path: 'a.txt', content: 'x'.repeat(MEGABYTE) };
    const outcome = { status: 'success' as const, result: `result ${step}` };
    const at = { orgId, turnId: turn.id, attempt: turn.attempt, step: turn.step };
    const calls = [{ ...call, arguments: args, outcome, delegation: undefined }];
    await storeStep(database, at, { text: `Step ${step}.`, rawText: null, state: null, usage: undefined, calls });
  }
  return claim(chat);
}

test('a turn whose calls are very large is read with its newest steps whole and the others short', async () => {
  const chat = await ChatFixture.create(database);
  const turn = await takeSteps(chat);
  const history = await readHistory(database, refOf(chat, turn), chat.ref.chatId);
  expect(history).toMatchObject({ isOutline: false, firstIndex: 0 });
  const steps = history?.turns.at(-1)?.steps ?? [];
  expect(JSON.stringify(steps).length).toBeLessThan(5 * MEGABYTE);
  expect(steps.map(({ text }) => text)).toEqual(Array.from({ length: STEPS }, (_, step) => `Step ${step}.`));
  expect(steps.map(({ calls }) => calls.length)).toEqual(Array.from({ length: STEPS }, () => 1));
  const [oldest] = steps[0]?.calls ?? [];
  expect(oldest).toMatchObject({ name: 'file_write', arguments: {}, status: 'success' });
  expect(oldest?.result).toContain('Left out');
  const [newest] = steps.at(-1)?.calls ?? [];
  expect(newest).toMatchObject({ result: `result ${STEPS - 1}`, arguments: { path: 'a.txt' } });
  expect(JSON.stringify(newest?.arguments).length).toBeGreaterThan(MEGABYTE);
  const storedCalls = await listTurnCalls(database, chat.ref.orgId, turn.id);
  expect(storedCalls).toHaveLength(STEPS);
  expect(storedCalls[0]).toMatchObject({ name: 'file_write', arguments: { path: 'a.txt' }, result: 'result 0' });
  expect(JSON.stringify(storedCalls).length).toBeLessThan(200_000);
});

test('a very large turn before it is not read', async () => {
  const chat = await ChatFixture.create(database);
  const turn = await takeSteps(chat);
  await database.system.query("update turns set status = 'completed', ended_at = now() where id = $1", [turn.id]);
  await database.system.query(
    `insert into messages (id, org_id, chat_id, turn_id, role, content, metadata, agent_id, user_id)
     select gen_random_uuid(), org_id, chat_id, id, 'assistant', 'Done.', '{}', null, user_id from turns where id = $1`,
    [turn.id],
  );
  await chat.accept();
  const next = await claim(chat);
  expect(next.id).not.toBe(turn.id);
  expect(next.history.turns).toHaveLength(1);
  expect(next.history.firstIndex).toBe(1);
});

test('a claim gives an outline of a long conversation: the texts of the turn itself, and the names of its calls', async () => {
  const chat = await ChatFixture.create(database);
  const turn = await takeSteps(chat);
  expect(turn.history).toMatchObject({ isOutline: true, firstIndex: 0, bytes: 8 * MEGABYTE });
  const [own] = turn.history.turns;
  expect(own).toMatchObject({ question: null, answer: null });
  expect(own?.steps.map(({ text }) => text)).toEqual(Array.from({ length: STEPS }, (_, step) => `Step ${step}.`));
  expect(own?.steps[0]?.calls).toMatchObject([{ name: 'file_write', arguments: {}, status: 'success' }]);
  expect(JSON.stringify(turn.history).length).toBeLessThan(10_000);
});

test('a read of a long conversation counts as unfinished until its process has noted that it survived', async () => {
  const chat = await ChatFixture.create(database);
  const { chatId, orgId } = chat.ref;
  const first = await takeSteps(chat);
  await readHistory(database, refOf(chat, first), chatId);
  const second = await claim(chat);
  await readHistory(database, refOf(chat, second), chatId);
  expect(await readHistory(database, refOf(chat, first), chatId)).toBeUndefined();
  const third = await claim(chat);
  expect([first, second, third].map(({ unfinishedReads }) => unfinishedReads)).toEqual([0, 1, 2]);
  await noteRead(database, refOf(chat, third));
  expect(await claim(chat)).toMatchObject({ unfinishedReads: 0 });
  const runner = randomUUID();
  const leased = await claimTurn(database, chat.ref, { runner });
  if (leased === undefined) throw new Error('no turn is open');
  await readHistory(database, refOf(chat, leased), chatId);
  await releaseLease(database, { orgId, turnId: leased.id, runner });
  expect(await claim(chat)).toMatchObject({ unfinishedReads: 0 });
});
