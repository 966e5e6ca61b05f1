import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { insertAgent, insertChat, insertOrg, insertUser } from '../../test/support/rows.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import type { Database } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';
import { acceptMessage } from './accept-message.ts';
import { acquireSlot, wakeSlotWaiter } from './slots.ts';
import type { ClaimedTurn } from './claim/claimed-turn.ts';
import { claimTurn } from './claim/claim-turn.ts';

const database = serveTestDatabase({ poolSize: 8 });
let orgId: string;
let agentId: string;
let userId: string;

beforeAll(async () => {
  orgId = await insertOrg(database);
  agentId = await insertAgent(database, orgId);
});

beforeEach(async () => {
  userId = await insertUser(database, [orgId]);
});

/** Starts a turn of the user in a chat of its own, claimed by a worker. */
async function begin(): Promise<ClaimedTurn> {
  const chatId = await insertChat(database, { orgId, userId, agentId });
  await acceptMessage(database, { orgId, userId }, { chatId, content: 'x', clientMessageId: undefined });
  return claim(chatId);
}

/** Starts a turn of a sub-agent of `parent`, claimed by a worker. */
async function beginBelow(parent: ClaimedTurn): Promise<ClaimedTurn> {
  const chatId = await insertChat(database, { orgId, userId, agentId });
  await database.system.query(
    `insert into turns (id, org_id, chat_id, user_id, parent_turn_id, ancestor_ids)
      values (gen_random_uuid(), $1, $2, $3, $4, array[$4::uuid])`,
    [orgId, chatId, userId, parent.id],
  );
  return claim(chatId);
}

async function claim(chatId: string): Promise<ClaimedTurn> {
  const turn = await claimTurn(database, { orgId, chatId });
  if (turn === undefined) throw new Error('no turn is open');
  return turn;
}

async function chatOf({ id }: ClaimedTurn): Promise<string> {
  const { rows } = await database.system.query<{ chatId: string }>(
    'select chat_id as "chatId" from turns where id = $1',
    [id],
  );
  return rows[0]?.chatId ?? '';
}

const refOf = ({ id, attempt, step }: ClaimedTurn) => ({ orgId, turnId: id, attempt, step });
const ask = async (turn: ClaimedTurn, slotCount: number) =>
  acquireSlot(database, refOf(turn), { ...turn, slotCount, budgets: [] }, new Date(Date.now() + 60_000));
const acquire = async (turn: ClaimedTurn, slotCount: number) => (await ask(turn, slotCount)).slot;
const end = async ({ id }: ClaimedTurn) =>
  database.system.query("update turns set status = 'completed', ended_at = now() where id = $1", [id]);
const times = async <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));

describe('the slots of a user', () => {
  test.each([1, 3, 10])('are taken by exactly %d of 50 turns that ask at once', async (slotCount) => {
    const turns = await times(50, begin);
    const slots = await Promise.all(turns.map(async (turn) => acquire(turn, slotCount)));
    const taken = slots.filter((slot) => slot !== null);
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: slotCount }, (_, index) => index + 1));
  });

  test('are free again when their turns have ended, whoever ended them, and are never assigned twice', async () => {
    const turns = await times(4, begin);
    const [first, second, third, fourth] = turns as [ClaimedTurn, ClaimedTurn, ClaimedTurn, ClaimedTurn];
    expect([await acquire(first, 2), await acquire(second, 2), await acquire(third, 2)]).toEqual([1, 2, null]);
    await end(first);
    expect([await acquire(third, 2), await acquire(fourth, 2)]).toEqual([1, null]);
  });

  test('stay with a turn whose worker died: the next attempt has it already', async () => {
    const turn = await begin();
    expect(await acquire(turn, 1)).toBe(1);
    const again = await claim(await chatOf(turn));
    expect([again.attempt, again.slot]).toEqual([turn.attempt + 1, 1]);
  });

  test('go to those who wait in the order in which they came', async () => {
    const turns = await times(4, begin);
    const [holder, ...others] = turns.toSorted((a, b) => a.seq - b.seq) as [ClaimedTurn, ...ClaimedTurn[]];
    expect(await acquire(holder, 1)).toBe(1);
    for (const turn of others) expect(await ask(turn, 1)).toMatchObject({ slot: null, state: 'waiting' });
    await end(holder);
    const served: string[] = [];
    for (let left = others.toReversed(); left.length > 0; left = left.filter(({ id }) => !served.includes(id))) {
      const before = served.length;
      // The newest turn asks first, and is not served before its time.
      for (const turn of left) {
        if ((await acquire(turn, 1)) !== null) {
          served.push(turn.id);
          await end(turn);
          break;
        }
      }
      expect(served.length).toBe(before + 1);
    }
    expect(served).toEqual(others.map(({ id }) => id));
  });

  test('are not those of other users', async () => {
    expect(await acquire(await begin(), 1)).toBe(1);
    userId = randomUUID();
    await database.system.query('insert into users (id, email) values ($1, $2)', [userId, userId]);
    await database.system.query("insert into memberships values ($1, $2, 'member')", [orgId, userId]);
    expect(await acquire(await begin(), 1)).toBe(1);
  });

  test('are lent to one sub-agent at a time by the turn that waits for it, all the way down', async () => {
    const root = await begin();
    expect(await acquire(root, 1)).toBe(1);
    const children = await times(5, async () => beginBelow(root));
    const slots = await Promise.all(children.map(async (child) => acquire(child, 1)));
    expect(slots.filter((slot) => slot === 0)).toHaveLength(1);
    expect(slots.filter((slot) => slot === null)).toHaveLength(4);
    const working = children[slots.indexOf(0)] as ClaimedTurn;
    const below = await beginBelow(working);
    expect(await acquire(below, 1)).toBe(0);
    const next = children.filter((child) => child !== working).toSorted((a, b) => a.seq - b.seq)[0] as ClaimedTurn;
    const member = { orgId, userId };
    expect(await wakeSlotWaiter(database, member, { slotCount: 1, slotOwnerTurnId: null })).toBeUndefined();
    await end(working);
    expect(await wakeSlotWaiter(database, member, { slotCount: 1, slotOwnerTurnId: root.id })).toMatchObject({
      isSubAgent: true,
    });
    expect(await acquire(next, 1)).toBe(0);
  });

  test('are assigned to nobody while more turns run than a limit that was lowered', async () => {
    const turns = await times(4, begin);
    for (const turn of turns) expect(await acquire(turn, 4)).not.toBeNull();
    const late = await begin();
    for (const turn of turns) {
      expect(await acquire(late, 1)).toBeNull();
      await end(turn);
    }
    expect(await acquire(late, 1)).toBe(1);
  });

  test('are left to a turn that asks late only when it was not superseded or stopped', async () => {
    const turn = await begin();
    await database.system.query('update turns set attempt = attempt + 1 where id = $1', [turn.id]);
    expect(await ask(turn, 1)).toMatchObject({ slot: null, state: 'outdated' });
    const stopped = await begin();
    expect(await acquire(await begin(), 1)).toBe(1);
    await database.system.query('update turns set interrupt_requested_at = now() where id = $1', [stopped.id]);
    expect(await ask(stopped, 1)).toMatchObject({ slot: null, state: 'outdated', wasSeenWaiting: false });
  });
});

/** Lets the turn ask for a slot, and runs `between` before each of its statements and after the last. */
async function askInSteps(turn: ClaimedTurn, between: readonly (() => Promise<void>)[][]) {
  const series = async (org: string, statements: readonly Statement[]) => {
    const results: object[][] = [];
    for (const [index, statement] of statements.entries()) {
      for (const done of between[index] ?? []) await done();
      results.push(await database.tenant.query(org, statement));
    }
    for (const done of between[statements.length] ?? []) await done();
    return results;
  };
  const stepped = { ...database, tenant: { series } } as unknown as Database;
  const conditions = { ...turn, slotCount: 1, budgets: [] };
  return acquireSlot(stepped, refOf(turn), conditions, new Date(Date.now() + 60_000));
}

describe('a slot that is freed while another turn asks for it', () => {
  // Freeing is two statements, the end and the search for waiters, and so is asking.
  const orders = [
    [0, 0],
    [0, 1],
    [0, 2],
    [1, 1],
    [1, 2],
    [2, 2],
  ] as const;

  test.each(orders)(
    'is taken, or its waiter is woken: end before statement %d, wake before statement %d',
    async (endAt, wakeAt) => {
      const holder = await begin();
      expect(await acquire(holder, 1)).toBe(1);
      const late = await begin();
      const between: (() => Promise<void>)[][] = [[], [], []];
      let isWoken = false;
      between[endAt]?.push(async () => void (await end(holder)));
      between[wakeAt]?.push(async () => {
        isWoken =
          (await wakeSlotWaiter(database, { orgId, userId }, { slotCount: 1, slotOwnerTurnId: null })) !== undefined;
      });
      const { slot } = await askInSteps(late, between);
      expect(slot === 1 || isWoken).toBe(true);
    },
  );

  test.each(orders)('is taken also while its end is not committed: %d, %d', async (endAt, wakeAt) => {
    const holder = await begin();
    expect(await acquire(holder, 1)).toBe(1);
    const late = await begin();
    const client = await database.system.connect();
    await client.query('begin');
    await client.query("update turns set status = 'completed', ended_at = now() where id = $1", [holder.id]);
    const between: (() => Promise<void>)[][] = [[], [], []];
    let isWoken = false;
    between[endAt]?.push(async () => void (await client.query('commit')));
    between[wakeAt]?.push(async () => {
      isWoken =
        (await wakeSlotWaiter(database, { orgId, userId }, { slotCount: 1, slotOwnerTurnId: null })) !== undefined;
    });
    const { slot } = await askInSteps(late, between);
    client.release();
    expect(slot === 1 || isWoken).toBe(true);
  });
});
