import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { insertUser } from '../../test/support/rows.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { storeWaitingCall, type WaitingCall } from '../../test/support/waiting-call.ts';
import type { Database } from '../core/database.ts';
import { connectDatabase } from '../orm/connect.ts';
import { beginCall } from '../turns/calls/begin-call.ts';
import { claimTurn } from '../turns/claim/claim-turn.ts';
import { closeOpenCalls } from '../turns/steps/close-open-calls.ts';
import { requestInterrupt } from '../turns/request-interrupt.ts';
import { storeApprovalWait } from '../turns/steps/store-wait.ts';
import { decideApproval, expireApprovals } from './decide-approval.ts';

let ref: TestDatabase;
let database: Database;
beforeAll(async () => {
  ref = await createTestDatabase();
  database = await connectDatabase({ url: ref.url, poolSize: 8 });
});
afterAll(async () => {
  await database.close();
  await ref.drop();
});

type Options = Parameters<typeof storeWaitingCall>[2];

/** A chat whose agent waits for a decision. */
async function ask(options?: Options): Promise<{ readonly chat: ChatFixture; readonly waiting: WaitingCall }> {
  const chat = await ChatFixture.create(database);
  return { chat, waiting: await storeWaitingCall(database, { ...chat.ref, userId: chat.userId }, options) };
}

const decide = async (
  { ref: { orgId }, userId }: Pick<ChatFixture, 'ref' | 'userId'>,
  approvalId: string,
  isApproved = true,
) =>
  decideApproval(database, orgId, {
    approvalId,
    userId,
    status: isApproved ? 'approved' : 'denied',
    note: isApproved ? null : 'not today',
    editedArguments: null,
    answer: null,
    lapsed: [],
  });

/** A chat whose agent waits until two people have approved. */
async function askTwo() {
  const chat = await ChatFixture.create(database);
  await database.system.query('update orgs set approvals_quorum = 2 where id = $1', [chat.ref.orgId]);
  const waiting = await storeWaitingCall(database, { ...chat.ref, userId: chat.userId });
  const people = await Promise.all(Array.from({ length: 4 }, async () => insertUser(database)));
  return { chat, waiting, people: people.map((userId) => ({ ref: chat.ref, userId })) };
}

const votes = async ({ approvalId }: WaitingCall) => {
  const { rows } = await database.system.query<{ status: string; voters: string[]; by: string | null }>(
    `select status, decided_by as by, array(select v ->> 'userId' from jsonb_array_elements(votes) v) as voters
      from approvals where id = $1`,
    [approvalId],
  );
  return rows[0];
};

const claim = async ({ ref: chatRef }: ChatFixture) => claimTurn(database, chatRef);

async function isDue(turnId: string): Promise<boolean> {
  const { rows } = await database.system.query('select from turns where id = $1 and next_wake_at <= now()', [turnId]);
  return rows.length > 0;
}

async function wait(chat: ChatFixture, ms = 3_600_000) {
  const turn = await claim(chat);
  if (turn === undefined) throw new Error('no turn is open');
  const ref = { orgId: chat.ref.orgId, turnId: turn.id, attempt: turn.attempt, step: turn.step };
  return { ref, store: async () => storeApprovalWait(database, ref, new Date(Date.now() + ms)) };
}

describe('a decision', () => {
  test('counts only once, however many make one at the same time, and makes the turn due', async () => {
    const { chat, waiting } = await ask();
    await (await wait(chat)).store();
    expect(await isDue(waiting.turnId)).toBe(false);
    const decided = await Promise.all(
      Array.from({ length: 8 }, async (_each, n) => decide(chat, waiting.approvalId, n % 2 === 0)),
    );
    const first = decided.filter((each) => each !== undefined);
    expect(first).toHaveLength(1);
    expect(first[0]).toMatchObject({
      chatId: chat.ref.chatId,
      isSubAgent: false,
      news: { recipients: [{ turnId: waiting.turnId, chatId: chat.ref.chatId }], step: { stepId: waiting.approvalId } },
    });
    expect(await isDue(waiting.turnId)).toBe(true);
    expect(await decide(chat, waiting.approvalId)).toBeUndefined();
  });

  test('ends a wait that is stored after it, by a step that has not seen it', async () => {
    const { chat, waiting } = await ask();
    const { store } = await wait(chat);
    await decide(chat, waiting.approvalId);
    expect(await store()).toMatchObject({ isWoken: true });
    expect((await claim(chat))?.openCalls).toMatchObject([{ approval: { status: 'approved' } }]);
    // As if the claim had seen the approval as it was before, and lowered the flag.
    await database.system.query('update turns set woken_since_claim = false where id = $1', [waiting.turnId]);
    expect(await store()).toMatchObject({ isWoken: true });
  });

  test('is not made in another organization, nor once the turn is asked to stop', async () => {
    const { chat, waiting } = await ask();
    const other = await ChatFixture.create(database);
    expect(await decide(other, waiting.approvalId)).toBeUndefined();
    await requestInterrupt(database, { orgId: chat.ref.orgId, userId: chat.userId }, chat.ref.chatId);
    expect(await decide(chat, waiting.approvalId)).toBeUndefined();
    const { ref } = await wait(chat);
    await closeOpenCalls(database, ref);
    const { rows } = await database.system.query('select status, parameters from approvals where id = $1', [
      waiting.approvalId,
    ]);
    expect(rows).toEqual([{ status: 'cancelled', parameters: null }]);
  });
});

describe('an approval that several have to give', () => {
  test('is decided by as many as it takes, however many approve at the same time', async () => {
    const { chat, waiting, people } = await askTwo();
    await (await wait(chat)).store();
    const [first, ...others] = people;
    if (first === undefined) throw new Error('there are people');
    expect(await decide(first, waiting.approvalId)).toBe('voted');
    expect([await isDue(waiting.turnId), (await votes(waiting))?.status]).toEqual([false, 'pending']);
    const decided = await Promise.all([first, ...others].map(async (each) => decide(each, waiting.approvalId)));
    const counted = decided.filter((each) => each !== undefined);
    expect(counted).toMatchObject([{ chatId: chat.ref.chatId, news: { step: { status: 'approved' } } }]);
    const { voters = [], by } = (await votes(waiting)) ?? {};
    expect([voters.length, voters[0], by, await isDue(waiting.turnId)]).toEqual([2, first.userId, voters[1], true]);
  });

  test('is stored once for each, when several approve at the very same time', async () => {
    const { waiting, people } = await askTwo();
    const [ada, grace] = people;
    if (ada === undefined || grace === undefined) throw new Error('there are people');
    const decided = await Promise.all([ada, grace, ada, grace].map(async (each) => decide(each, waiting.approvalId)));
    expect(decided.filter((each) => each === 'voted')).toHaveLength(1);
    expect(decided.filter((each) => each === undefined)).toHaveLength(2);
    expect(new Set((await votes(waiting))?.voters)).toEqual(new Set([ada.userId, grace.userId]));
  });

  test('is denied by one, also by who has approved', async () => {
    const { waiting, people } = await askTwo();
    const [ada] = people;
    if (ada === undefined) throw new Error('there are people');
    await decide(ada, waiting.approvalId);
    expect(await decide(ada, waiting.approvalId, false)).toMatchObject({ news: { step: { status: 'denied' } } });
    expect(await votes(waiting)).toEqual({ status: 'denied', by: ada.userId, voters: [ada.userId, ada.userId] });
  });

  test('counts as the organization was set when the call began to wait', async () => {
    const { chat, waiting, people } = await askTwo();
    await database.system.query('update orgs set approvals_quorum = 1 where id = $1', [chat.ref.orgId]);
    const [ada, grace] = people;
    if (ada === undefined || grace === undefined) throw new Error('there are people');
    expect(await decide(ada, waiting.approvalId)).toBe('voted');
    expect(await decide(grace, waiting.approvalId)).toMatchObject({ news: { step: { status: 'approved' } } });
  });

  test('expires without a decision, whoever has approved', async () => {
    const { chat, waiting, people } = await askTwo();
    const [ada] = people;
    if (ada === undefined) throw new Error('there are people');
    await decide(ada, waiting.approvalId);
    await database.system.query('update approvals set expires_at = now() where id = $1', [waiting.approvalId]);
    await expireApprovals(database, { orgId: chat.ref.orgId, turnId: waiting.turnId });
    expect(await votes(waiting)).toEqual({ status: 'expired', by: null, voters: [ada.userId] });
  });
});

describe('a call', () => {
  test('is not begun while it waits, and with edited arguments once it is approved with them', async () => {
    const { chat, waiting } = await ask();
    const { orgId } = chat.ref;
    const call = { orgId, callId: waiting.callId };
    expect(await beginCall(database, call)).toBeUndefined();
    const decision = {
      approvalId: waiting.approvalId,
      userId: chat.userId,
      status: 'approved',
      note: 'go',
      answer: null,
    } as const;
    await decideApproval(database, orgId, {
      ...decision,
      editedArguments: { path: 'c.txt', content: 'd' },
      lapsed: [],
    });
    expect(await beginCall(database, call)).toMatchObject({
      arguments: { path: 'c.txt', content: 'd' },
      decision: { status: 'approved', note: 'go', isEdited: true },
    });
    const { rows } = await database.system.query('select arguments from tool_calls where id = $1', [waiting.callId]);
    expect(rows).toEqual([{ arguments: { path: 'a.txt', content: 'b' } }]);
  });

  test('is no longer waited for when its time is up, and its turn continues', async () => {
    const { chat, waiting } = await ask({ waitMs: -1 });
    await (await wait(chat)).store();
    expect(await decide(chat, waiting.approvalId)).toBeUndefined();
    const turn = { orgId: chat.ref.orgId, turnId: waiting.turnId };
    const [expired] = await expireApprovals(database, turn);
    expect(expired?.news.step).toMatchObject({ stepId: waiting.approvalId, status: 'expired' });
    expect(await expireApprovals(database, turn)).toEqual([]);
    expect(await isDue(waiting.turnId)).toBe(true);
    expect((await claim(chat))?.openCalls).toMatchObject([{ approval: { status: 'expired' } }]);
  });
});

describe('the time limit of a sub-agent', () => {
  test('does not run while calls of it wait, and waits that overlap count once', async () => {
    const chat = await ChatFixture.create(database);
    await chat.accept();
    const step = await chat.begin();
    const agent = step.planAgent();
    await step.store();
    const { below } = await agent.begin();
    const { turnId, ref, chatId } = below;
    await database.system.query("update turns set deadline_at = now() - interval '3 hours' where id = $1", [turnId]);
    expect(await chat.claim(chatId)).toMatchObject({ isOverdue: true });
    for (const [from, to] of [
      [6, 4],
      [5, 2],
    ] as const)
      await database.system.query(
        `with call as (
            insert into tool_calls (id, org_id, turn_id, step, position, name, label, arguments, effect, status)
            values (gen_random_uuid(), $1, $2, 9, $3, 'x', '', '{}', 'once', 'success') returning id
          )
          insert into approvals (id, org_id, chat_id, turn_id, root_turn_id, call_id, status, requested_at, decided_at, expires_at)
          select gen_random_uuid(), $1, $4, $2, $5, id, 'approved', now() - interval '1 hour' * $3::int,
            now() - interval '1 hour' * $6::int, now() from call`,
        [ref.orgId, turnId, from, chatId, step.turnId, to],
      );
    const { isOverdue, remainingMs } = await chat.claim(chatId);
    expect(isOverdue).toBe(false);
    expect(Math.round(Number(remainingMs) / 360_000)).toBe(10);
  });
});

test('those who decide are remembered as long as they are there', async () => {
  const { chat, waiting } = await ask();
  const decider = await insertUser(database, [chat.ref.orgId]);
  await decideApproval(database, chat.ref.orgId, {
    approvalId: waiting.approvalId,
    userId: decider,
    status: 'denied',
    note: 'no',
    editedArguments: null,
    answer: null,
    lapsed: [],
  });
  const { rows } = await database.system.query('select decided_by, status, note from approvals where id = $1', [
    waiting.approvalId,
  ]);
  expect(rows).toEqual([{ decided_by: decider, status: 'denied', note: 'no' }]);
});
