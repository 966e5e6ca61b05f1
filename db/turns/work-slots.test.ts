import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { insertAgent, insertChat, insertOrg, insertUser } from '../../test/support/rows.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { acceptMessage } from './accept-message.ts';
import { beginCall } from './calls/begin-call.ts';
import type { ClaimedTurn } from './claim/claimed-turn.ts';
import { claimTurn } from './claim/claim-turn.ts';
import { closeCall } from './calls/close-call.ts';
import { countIntoTree } from './start-turn.ts';
import { finishTurn } from './steps/finish-turn.ts';
import { giveWorkSlots, storeWorkSlotWait } from './work-slots.ts';
import { storeStep } from './steps/store-step.ts';
import { storeWait } from './steps/store-wait.ts';
import { PLAIN_END } from '../../test/support/plain-end.ts';

const database = serveTestDatabase({ poolSize: 8 });
let org: Org;
let user: string;

interface Org {
  readonly id: string;
  readonly agentId: string;
}

beforeEach(async () => {
  org = await newOrg();
  user = await newUser(org);
});

async function newOrg(): Promise<Org> {
  const id = await insertOrg(database);
  return { id, agentId: await insertAgent(database, id) };
}

async function newUser(...orgs: readonly Org[]): Promise<string> {
  return insertUser(
    database,
    orgs.map(({ id }) => id),
  );
}

const BOUNDS = { perUser: 2, perOrg: 3 };

/** A turn in a chat of its own. */
interface TestTurn {
  readonly orgId: string;
  readonly chatId: string;
  readonly userId: string;
}

async function accept(userId = user, { id: orgId, agentId } = org): Promise<TestTurn> {
  const chatId = await insertChat(database, { orgId, userId, agentId });
  await acceptMessage(database, { orgId, userId }, { chatId, content: 'x', clientMessageId: undefined });
  return { orgId, chatId, userId };
}

async function claim(turn: TestTurn, bounds = BOUNDS): Promise<ClaimedTurn> {
  const claimed = await claimTurn(database, turn, { bounds });
  if (claimed === undefined) throw new Error('no turn is open');
  return claimed;
}

const begin = async (userId = user, at = org) => claim(await accept(userId, at));
const refOf = ({ id, attempt, step }: ClaimedTurn, orgId = org.id) => ({ orgId, turnId: id, attempt, step });
const later = () => new Date(Date.now() + 60_000);
const wait = async (turn: ClaimedTurn, orgId = org.id) => storeWorkSlotWait(database, refOf(turn, orgId), later());
const give = async (userId = user, { id: orgId } = org) => giveWorkSlots(database, { orgId, userId }, BOUNDS);

async function finish(turn: ClaimedTurn, orgId = org.id) {
  const { rows } = await database.system.query<{ chatId: string }>(
    'select chat_id as "chatId" from turns where id = $1',
    [turn.id],
  );
  return finishTurn(database, {
    ...refOf(turn, orgId),
    chatId: rows[0]?.chatId ?? '',
    status: 'completed',
    content: '',
    metadata: {},
    agentId: turn.agent.id,
    ...PLAIN_END,
  });
}

describe('the work slots of running turns', () => {
  test('are assigned with the claim, as many as the bound of the user says, and kept by later attempts', async () => {
    const turns = [await accept(), await accept(), await accept()];
    const claimed = [];
    for (const turn of turns) claimed.push((await claim(turn)).hasWorkSlot);
    expect(claimed).toEqual([true, true, false]);
    expect((await claim(turns[0] as TestTurn)).hasWorkSlot).toBe(true);
  });

  test('are counted for the organization too, and bounds of 0 are none', async () => {
    const others = [await newUser(org), await newUser(org), await newUser(org)];
    const claimed = [];
    for (const userId of [user, ...others]) claimed.push((await begin(userId)).hasWorkSlot);
    expect(claimed).toEqual([true, true, true, false]);
    const free = { perUser: 0, perOrg: 0 };
    expect((await claim(await accept(), free)).hasWorkSlot).toBe(true);
  });

  test('are those of a user in all their organizations', async () => {
    const second = await newOrg();
    const both = await newUser(org, second);
    expect([await begin(both), await begin(both, second)].map(({ hasWorkSlot }) => hasWorkSlot)).toEqual([true, true]);
    const third = await begin(both, second);
    expect(third.hasWorkSlot).toBe(false);
  });

  test('are those of all organizations of one owner together, whoever works there', async () => {
    const [first, second, neighbour] = [await newOrg(), await newOrg(), await newOrg()];
    await insertUser(database, [first.id, second.id], 'owner');
    await insertUser(database, [neighbour.id], 'owner');
    const claimed = [];
    for (const at of [first, first, second, second]) claimed.push(await begin(await newUser(at), at));
    expect(claimed.map(({ hasWorkSlot }) => hasWorkSlot)).toEqual([true, true, true, false]);
    expect((await begin(await newUser(neighbour), neighbour)).hasWorkSlot).toBe(true);
    const [ended, , , waiting] = claimed as [ClaimedTurn, ClaimedTurn, ClaimedTurn, ClaimedTurn];
    await wait(waiting, second.id);
    expect(await give(ended.userId, first)).toEqual([]);
    expect((await finish(ended, first.id))?.isWorkSlotWanted).toBe(true);
    expect(await give(ended.userId, first)).toEqual([waiting.id]);
  });

  test('go to those who wait in the order in which they came, also past one who asks again', async () => {
    const [first, second] = [await begin(), await begin()];
    const waiting = [await accept(), await accept(), await accept()];
    const ids = [];
    for (const turn of waiting) {
      const claimed = await claim(turn);
      ids.push(claimed.id);
      expect([claimed.hasWorkSlot, await wait(claimed)]).toEqual([false, true]);
    }
    expect(await give()).toEqual([]);
    expect((await finish(first))?.isWorkSlotWanted).toBe(true);
    // The place is free, but not for the newest turn.
    expect(await claim(waiting[2] as TestTurn)).toMatchObject({ hasWorkSlot: false, hasWaitedForWorkSlot: false });
    expect(await give()).toEqual([ids[0]]);
    await finish(second);
    expect(await give()).toEqual([ids[1]]);
    expect((await claim(waiting[0] as TestTurn)).hasWorkSlot).toBe(true);
    expect((await finish(await claim(waiting[0] as TestTurn)))?.isWorkSlotWanted).toBe(true);
    await finish(await claim(waiting[1] as TestTurn));
    expect(await give()).toEqual([ids[2]]);
    expect((await finish(await claim(waiting[2] as TestTurn)))?.isWorkSlotWanted).toBe(false);
  });

  test('are waited for briefly at first, and longer once that time is over', async () => {
    await begin();
    await begin();
    const turn = await accept();
    await wait(await claim(turn));
    const claimed = await claim(turn);
    expect(claimed.hasWaitedForWorkSlot).toBe(false);
    await wait(claimed);
    await database.system.query(`update turns set waiting_until = now() - interval '1 second' where id = $1`, [
      claimed.id,
    ]);
    expect((await claim(turn)).hasWaitedForWorkSlot).toBe(true);
  });

  test('of an organization go to the user with the fewest at work', async () => {
    const bob = await newUser(org);
    const eve = await newUser(org);
    const mine = [await begin(), await begin()];
    const ofBob = await begin(bob);
    const [again, late] = [await begin(), await begin(eve)];
    for (const turn of [again, late]) expect(await wait(turn)).toBe(true);
    await finish(mine[0] as ClaimedTurn);
    expect(await give()).toEqual([late.id]);
    await finish(ofBob);
    expect(await give(bob)).toEqual([again.id]);
  });

  test('of a user are assigned in another organization than the one in which they became free', async () => {
    const second = await newOrg();
    const both = await newUser(org, second);
    const here = [await begin(both), await begin(both)];
    const there = await begin(both, second);
    await wait(there, second.id);
    expect((await finish(here[0] as ClaimedTurn))?.isWorkSlotWanted).toBe(true);
    expect(await give(both)).toEqual([there.id]);
  });

  test('are assigned once each, however many processes do so at once', async () => {
    const working = [await begin(), await begin()];
    const waiting = [];
    for (let count = 0; count < 10; count += 1) waiting.push(await begin());
    for (const turn of waiting) await wait(turn);
    await Promise.all(working.map(async (turn) => finish(turn)));
    const given = (await Promise.all(Array.from({ length: 8 }, async () => give()))).flat();
    expect(given.toSorted()).toEqual(waiting.slice(0, 2).map(({ id }) => id));
  });

  test('are released by a turn that waits for a provider, and requested again after that', async () => {
    const turn = await accept();
    const claimed = await claim(turn);
    await begin();
    expect(await storeWait(database, refOf(claimed), later())).toMatchObject({ isWorkSlotWanted: false });
    await begin();
    expect((await claim(turn)).hasWorkSlot).toBe(false);
  });

  test('are not waited for by a turn that is to stop, or was superseded', async () => {
    const turn = await begin();
    await database.system.query('update turns set interrupt_requested_at = now() where id = $1', [turn.id]);
    expect(await wait(turn)).toBe(false);
    const other = await begin();
    await database.system.query('update turns set attempt = attempt + 1 where id = $1', [other.id]);
    expect(await wait(other)).toBe(false);
  });
});

const OPEN = { label: 'x', arguments: {}, outcome: undefined };
const ownCall = () => ({
  ...OPEN,
  id: randomUUID(),
  name: 'http_request',
  effect: 'read' as const,
  delegation: undefined,
});
const spawn = () => ({
  ...OPEN,
  id: randomUUID(),
  name: 'agent_spawn',
  effect: 'agent' as const,
  delegation: { agentId: org.agentId, title: 't', message: 'm', timeLimitSeconds: 60, modelTags: null },
});
type Call = ReturnType<typeof ownCall> | ReturnType<typeof spawn>;
const store = async (turn: ClaimedTurn, calls: readonly Call[]) =>
  storeStep(database, refOf(turn), { text: '', rawText: null, state: null, usage: undefined, calls });
const isAtWork = async ({ id }: ClaimedTurn) => {
  const { rows } = await database.system.query<{ is: boolean }>('select is_at_work as is from turns where id = $1', [
    id,
  ]);
  return rows[0]?.is;
};

describe('the work slot of a turn whose step calls', () => {
  test('tools stays with it', async () => {
    const turn = await begin();
    await store(turn, [ownCall()]);
    expect(await isAtWork(turn)).toBe(true);
  });

  test('sub-agents only is left to them at once', async () => {
    const turn = await begin();
    await begin();
    await wait(await begin());
    expect(await store(turn, [spawn(), spawn()])).toMatchObject({ isWorkSlotWanted: true });
    expect(await isAtWork(turn)).toBe(false);
  });

  test('both is left when the last of its own calls has ended', async () => {
    const turn = await begin();
    const [first, second] = [ownCall(), ownCall()];
    expect(await store(turn, [first, spawn(), second])).toMatchObject({ isWorkSlotWanted: false });
    const close = async ({ id }: Call) => {
      const call = { id, attempt: 0, turn: { id: turn.id, isDelegating: true } };
      return closeCall(database, org.id, call, { status: 'success', result: '' });
    };
    expect(await close(first)).toEqual({ isStored: true, isWorkSlotWanted: false });
    expect(await isAtWork(turn)).toBe(true);
    await begin();
    await wait(await begin());
    expect(await close(second)).toEqual({ isStored: true, isWorkSlotWanted: true });
    expect(await isAtWork(turn)).toBe(false);
  });

  test('both is left when its own calls end in one instant', async () => {
    const turn = await begin();
    const calls = Array.from({ length: 6 }, ownCall);
    await store(turn, [...calls, spawn()]);
    await Promise.all(
      calls.map(async ({ id }) => {
        const call = { id, attempt: 0, turn: { id: turn.id, isDelegating: true } };
        return closeCall(database, org.id, call, { status: 'success', result: '' });
      }),
    );
    expect(await isAtWork(turn)).toBe(false);
  });

  test('both is left by a second try, when the answer to the first was lost', async () => {
    const turn = await begin();
    const own = ownCall();
    await store(turn, [own, spawn()]);
    await database.system.query("update tool_calls set status = 'success' where id = $1", [own.id]);
    const call = { id: own.id, attempt: 0, turn: { id: turn.id, isDelegating: true } };
    expect((await closeCall(database, org.id, call, { status: 'success', result: '' })).isStored).toBe(false);
    expect(await isAtWork(turn)).toBe(false);
  });
});

describe('the sub-agents of a tree', () => {
  test('are exactly as many as it may have, however many turns of it ask at once', async () => {
    const { id: rootId } = await begin();
    const ask = async (count: number) => countIntoTree(database, org.id, { rootId, count, atMost: 20 });
    const granted = await Promise.all(Array.from({ length: 30 }, async () => ask(3)));
    expect(granted.reduce((sum, each) => sum + each, 0)).toBe(20);
    expect(granted.filter((each) => each === 3)).toHaveLength(6);
    expect(await countIntoTree(database, org.id, { rootId, count: 1, atMost: 10 })).toBe(0);
  });
});

describe('the work slots of running calls', () => {
  const beginBounded = async ({ id: callId }: Call, bounds?: typeof BOUNDS) =>
    beginCall(database, { orgId: org.id, callId }, bounds);

  test('are as many as the bounds say; a call without one has not begun, and one that went on has its own', async () => {
    const turn = await begin();
    const calls = [ownCall(), ownCall(), ownCall()];
    await store(turn, calls);
    const deferred = [];
    for (const call of calls) deferred.push((await beginBounded(call, BOUNDS))?.isDeferred);
    expect(deferred).toEqual([false, false, true]);
    const third = calls[2] as Call;
    const { rows } = await database.system.query('select status, attempt from tool_calls where id = $1', [third.id]);
    expect(rows).toEqual([{ status: 'planned', attempt: 0 }]);
    expect(await beginBounded(calls[0] as Call, BOUNDS)).toMatchObject({
      isDeferred: false,
      wasBegun: true,
      attempt: 2,
    });
    await database.system.query("update tool_calls set status = 'success' where id = $1", [calls[1]?.id]);
    expect(await beginBounded(third, BOUNDS)).toMatchObject({ isDeferred: false, attempt: 1 });
  });

  test('are those of all organizations of one owner together', async () => {
    const orgs = [org, await newOrg()];
    await insertUser(
      database,
      orgs.map(({ id }) => id),
      'owner',
    );
    const deferred = [];
    for (const at of [...orgs, ...orgs]) {
      const call = ownCall();
      const turn = await begin(await newUser(at), at);
      await storeStep(database, refOf(turn, at.id), {
        text: '',
        rawText: null,
        state: null,
        usage: undefined,
        calls: [call],
      });
      deferred.push((await beginCall(database, { orgId: at.id, callId: call.id }, BOUNDS))?.isDeferred);
    }
    expect(deferred).toEqual([false, false, false, true]);
  });

  test('are not needed by what a turn runs in its own, and not waited for by what is to stop', async () => {
    const turn = await begin();
    const calls = [ownCall(), ownCall(), ownCall(), ownCall()];
    await store(turn, calls);
    for (const call of calls.slice(0, 2)) await beginBounded(call, BOUNDS);
    expect(await beginBounded(calls[2] as Call)).toMatchObject({ isDeferred: false });
    await database.system.query('update turns set interrupt_requested_at = now() where id = $1', [turn.id]);
    expect(await beginBounded(calls[3] as Call, BOUNDS)).toMatchObject({
      isDeferred: false,
      turn: { isInterrupted: true },
    });
  });
});

describe('messages that are not answered yet', () => {
  /** Opens turns in further chats of the user. */
  async function fill(turnCount: number, userId: string, { id: orgId, agentId } = org): Promise<void> {
    await database.system.query(
      `with chats as (
          insert into chats (id, org_id, user_id, agent_id, title)
          select gen_random_uuid(), $1, $2, $3, 'c' from generate_series(1, $4::int) returning id
        )
        insert into turns (id, org_id, chat_id, user_id) select gen_random_uuid(), $1, id, $2 from chats`,
      [orgId, userId, agentId, turnCount],
    );
  }

  test('are 1,000 of a user at most, wherever they are, and the refusal says so', async () => {
    const second = await newOrg();
    const both = await newUser(org, second);
    await fill(999, both);
    const last = await accept(both, second);
    const refusal = { code: 'limit_reached', retryAfterSeconds: 5 };
    await expect(accept(both, second)).rejects.toMatchObject({
      ...refusal,
      message: 'You have 1000 unanswered messages; wait for an answer',
    });
    await accept(user);
    await finish(await claim(last), second.id);
    await accept(both, second);
  });

  test('are 5,000 of all organizations of one owner at most', async () => {
    const second = await newOrg();
    await insertUser(database, [org.id, second.id], 'owner');
    for (const at of [org, second, org, second, org]) await fill(1_000, await newUser(at), at);
    await expect(accept()).rejects.toMatchObject({
      code: 'limit_reached',
      message: 'Your organization, with all others of its owner, has 5000 unanswered messages; wait for an answer',
    });
  });
});
