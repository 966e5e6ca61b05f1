import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { behindRow } from '../../../test/support/behind-row.ts';
import { ChatFixture } from '../../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../../test/support/serve-test-database.ts';
import { decideApproval } from '../../approvals/decide-approval.ts';
import { askAnew, beginCall, setCallAside } from './begin-call.ts';
import { claimTurn } from '../claim/claim-turn.ts';
import { closeCall } from './close-call.ts';
import { closeOpenCalls } from '../steps/close-open-calls.ts';
import { noteSending } from './remote-task.ts';
import { storeStep } from '../steps/store-step.ts';

// Every two statements of two attempts at one call that can meet, in both orders: the first one waits for the row, the
// second one behind it, and then both get it. docs/chaos.md says what each pair means.

const NO_BOUNDS = { perUser: 0, perOrg: 0 };

const database = serveTestDatabase({ poolSize: 4 });
const approval = () => ({
  id: randomUUID(),
  expiresAt: new Date(Date.now() + 3_600_000),
  parameters: null,
  details: [],
  digest: 'a digest',
});

/** Stores a call that must not be made twice, and returns the statements of those who work on it. */
async function storeOnceCall({ isApproved = false } = {}) {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const { ref } = await chat.begin();
  const { orgId } = chat.ref;
  const callId = randomUUID();
  const call = { id: callId, name: 'http_request', label: 'POST', arguments: {}, effect: 'once' } as const;
  const asked = approval();
  const calls = [{ ...call, outcome: undefined, delegation: undefined, ...(isApproved && { approval: asked }) }];
  await storeStep(database, ref, { text: '', rawText: null, state: null, usage: undefined, calls });
  const decision = {
    approvalId: asked.id,
    userId: chat.userId,
    note: null,
    editedArguments: null,
    answer: null,
    lapsed: [],
  };
  if (isApproved) await decideApproval(database, orgId, { ...decision, status: 'approved' });
  const claimed = await chat.claim(chat.ref.chatId);
  const turn = { orgId, turnId: claimed.id, attempt: claimed.attempt, step: claimed.step };
  const begin = async (bounds?: typeof NO_BOUNDS) => beginCall(database, { orgId, callId }, bounds);
  const begun = async () => {
    const attempt = await begin();
    if (attempt === undefined) throw new Error('the call has a result');
    return {
      wasBegun: attempt.wasBegun,
      close: async () =>
        (await closeCall(database, orgId, attempt, { status: 'success', result: String(attempt.attempt) })).isStored,
      setAside: async () => setCallAside(database, orgId, attempt, 1_000),
      askAnew: async () => askAnew(database, orgId, attempt, approval()),
    };
  };
  return {
    callId,
    begin,
    begun,
    endTurn: async () => closeOpenCalls(database, turn),
    send: async () => noteSending(database, { orgId, callId }),
    approvals: async () => {
      const text = 'select status from approvals where call_id = $1 order by status';
      return (await database.system.query<{ status: string }>(text, [callId])).rows.map(({ status }) => status);
    },
    stored: async () => {
      const { rows } = await database.system.query<{ status: string; result: string | null }>(
        'select status, result from tool_calls where id = $1',
        [callId],
      );
      return rows[0];
    },
  };
}

/** Has two statements wait for the row of a call, one behind the other, and returns what each brings. */
async function inOrder<A, B>(callId: string, first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  return behindRow(database, { table: 'tool_calls', id: callId }, [first, second]);
}

describe('two attempts at a call that must not be made twice', () => {
  test('begin together: one makes it, the other one knows', async () => {
    const { callId, begin } = await storeOnceCall();
    const attempts = await inOrder(callId, begin, begin);
    expect(attempts.map((attempt) => attempt?.wasBegun)).toEqual([false, true]);
    expect(attempts.map((attempt) => attempt?.attempt)).toEqual([1, 2]);
  });

  test('the second begins while the first stores its result: the call is over', async () => {
    const { callId, begin, begun, stored } = await storeOnceCall();
    const first = await begun();
    expect(await inOrder(callId, first.close, begin)).toEqual([true, undefined]);
    expect(await stored()).toEqual({ status: 'success', result: '1' });
  });

  test('the first stores its result when the second has begun: it comes too late', async () => {
    const { callId, begun, stored } = await storeOnceCall();
    const first = await begun();
    const [second, isStored] = await inOrder(callId, begun, first.close);
    expect([second.wasBegun, isStored]).toEqual([true, false]);
    expect(await second.close()).toBe(true);
    expect(await stored()).toEqual({ status: 'success', result: '2' });
  });

  test('the second begins when the first has set the call aside, which has changed nothing: it makes it', async () => {
    const { callId, begun } = await storeOnceCall();
    const first = await begun();
    const [, second] = await inOrder(callId, first.setAside, begun);
    expect(second.wasBegun).toBe(false);
    expect(await first.close()).toBe(false);
  });

  test('the first sets the call aside when the second has begun: the second one still knows of it', async () => {
    const { callId, begun, stored } = await storeOnceCall();
    const first = await begun();
    const [second] = await inOrder(callId, begun, first.setAside);
    expect(second.wasBegun).toBe(true);
    expect(await stored()).toMatchObject({ status: 'running' });
    expect((await begun()).wasBegun).toBe(true);
  });

  test('the second sets the call aside, which the first may have made: it waits, and that stays known', async () => {
    const { begin, begun, endTurn, stored } = await storeOnceCall();
    await begun();
    await (await begun()).setAside();
    expect(await begin(NO_BOUNDS)).toMatchObject({ isDeferred: true, wasBegun: true });
    expect((await begun()).wasBegun).toBe(true);
    await (await begun()).setAside();
    await endTurn();
    expect(await stored()).toMatchObject({ status: 'unknown' });
  });
});

describe('two attempts at an approved call that has changed', () => {
  test('ask about it once, whichever of them begins or asks first', async () => {
    for (const isBegunFirst of [true, false]) {
      const { callId, begin, begun, approvals, stored } = await storeOnceCall({ isApproved: true });
      const first = await begun();
      const [isAsked, second] = isBegunFirst
        ? ((await inOrder(callId, begun, first.askAnew)).toReversed() as [boolean, Awaited<ReturnType<typeof begun>>])
        : await inOrder(callId, first.askAnew, begun);
      expect([isAsked, second.wasBegun]).toEqual([!isBegunFirst, isBegunFirst]);
      expect(await approvals()).toEqual(isBegunFirst ? ['approved'] : ['outdated', 'pending']);
      // Of a call that may have been made nobody asks again.
      if (isBegunFirst) continue;
      expect(await second.askAnew()).toBe(true);
      expect([await approvals(), await stored()]).toMatchObject([['outdated', 'pending'], { status: 'planned' }]);
      expect(await begin()).toBeUndefined();
    }
  });

  test('ask nothing once the turn has ended, which also ends what was asked', async () => {
    for (const isFirst of [true, false]) {
      const { callId, begun, endTurn, approvals, stored } = await storeOnceCall({ isApproved: true });
      const attempt = await begun();
      if (isFirst) await inOrder(callId, attempt.askAnew, endTurn);
      else await inOrder(callId, endTurn, attempt.askAnew);
      expect(await approvals()).toEqual(isFirst ? ['cancelled', 'outdated'] : ['approved']);
      expect((await stored())?.status).toBe(isFirst ? 'interrupted' : 'unknown');
    }
  });
});

describe('work for an agent of another platform', () => {
  test('is sent by one of two attempts, and by none once the turn has ended', async () => {
    const { callId, begun, endTurn, send } = await storeOnceCall();
    await begun();
    expect(await inOrder(callId, send, send)).toEqual([true, false]);
    const other = await storeOnceCall();
    await other.begun();
    expect((await inOrder(other.callId, other.endTurn, other.send))[1]).toBe(false);
    await endTurn();
  });
});

describe('a turn that ends', () => {
  test('before an attempt begins: the call is not made', async () => {
    const { callId, begin, endTurn, stored } = await storeOnceCall();
    expect((await inOrder(callId, endTurn, begin))[1]).toBeUndefined();
    expect(await stored()).toMatchObject({ status: 'interrupted' });
  });

  test('when an attempt has begun: the call may have been made', async () => {
    const { callId, begun, endTurn, stored } = await storeOnceCall();
    const [attempt] = await inOrder(callId, begun, endTurn);
    expect(attempt.wasBegun).toBe(false);
    expect(await attempt.close()).toBe(false);
    expect(await stored()).toMatchObject({ status: 'unknown' });
  });

  test('before the result is stored, or after it: what is stored first stays', async () => {
    for (const isFirst of [true, false]) {
      const { callId, begun, endTurn, stored } = await storeOnceCall();
      const attempt = await begun();
      const isStored = isFirst
        ? (await inOrder(callId, attempt.close, endTurn))[0]
        : (await inOrder(callId, endTurn, attempt.close))[1];
      expect([isStored, (await stored())?.status]).toEqual([isFirst, isFirst ? 'success' : 'unknown']);
    }
  });

  test('when the call was set aside, or before that: whether it was made is known in the first case alone', async () => {
    for (const isAside of [true, false]) {
      const { callId, begun, endTurn, stored } = await storeOnceCall();
      const attempt = await begun();
      if (isAside) await inOrder(callId, attempt.setAside, endTurn);
      else await inOrder(callId, endTurn, attempt.setAside);
      expect((await stored())?.status).toBe(isAside ? 'interrupted' : 'unknown');
    }
  });
});

test('a claim that waits while a step is stored continues with the calls of that step', async () => {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const { ref, turnId } = await chat.begin();
  const call = { id: randomUUID(), name: 'http_request', label: 'POST', arguments: {}, effect: 'once' } as const;
  const calls = [{ ...call, outcome: undefined, delegation: undefined }];
  const reply = { text: '', rawText: null, state: null, usage: undefined, calls };
  const [stored, claimed] = await behindRow(database, { table: 'turns', id: turnId }, [
    async () => storeStep(database, ref, reply),
    async () => claimTurn(database, chat.ref),
  ]);
  expect(stored?.calls).toHaveLength(1);
  expect(claimed).toMatchObject({ attempt: ref.attempt, step: ref.step, openCalls: [{ name: 'http_request' }] });
});
