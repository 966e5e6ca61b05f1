import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { storeWaitingCall } from '../../test/support/waiting-call.ts';
import type { Database } from '../core/database.ts';
import { connectDatabase } from '../orm/connect.ts';
import { notifyAsked } from './notify-asked.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = await connectDatabase({ url: place.url, poolSize: 8 });
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

const HOUR_MS = 3_600_000;

/** A call that waits, in an organization that reminds of it after half an hour. */
async function askedCall(waitMs = HOUR_MS) {
  const chat = await ChatFixture.create(database);
  const { orgId } = chat.place;
  await database.system.query('update orgs set approvals_reminder_minutes = 30 where id = $1', [orgId]);
  const { turnId, approvalId } = await storeWaitingCall(database, { ...chat.place, userId: chat.userId }, { waitMs });
  const remindAt = async () => {
    const { rows } = await database.system.query<{ remind_at: Date | null }>(
      'select remind_at from approvals where id = $1',
      [approvalId],
    );
    return rows[0]?.remind_at ?? null;
  };
  return {
    remindAt,
    notify: async () => notifyAsked(database, { orgId, turnId }),
    set: async (change: string) => database.system.query(`update approvals set ${change} where id = $1`, [approvalId]),
    reminders: async () => {
      const text = "select from audit_log where record_id = $1 and action = 'approvals.remind'";
      return (await database.system.query(text, [approvalId])).rowCount;
    },
  };
}

describe('a reminder', () => {
  test('is waited for until it is due, and taken once by several workers', async () => {
    const call = await askedCall();
    const remindAt = await call.remindAt();
    const againAt = await call.notify();
    expect([Number(againAt) - Number(remindAt), await call.reminders()]).toEqual([250, 0]);
    await call.set('remind_at = now()');
    const all = await Promise.all(Array.from({ length: 8 }, call.notify));
    expect(all).toEqual(Array.from({ length: 8 }, () => null));
    expect([await call.remindAt(), await call.reminders()]).toEqual([null, 1]);
  });

  test('is not sent of what is decided, or expires before', async () => {
    const decided = await askedCall();
    await decided.set("status = 'denied', remind_at = now()");
    expect([await decided.notify(), await decided.reminders()]).toEqual([null, 0]);
    const short = await askedCall(HOUR_MS / 4);
    expect([await short.remindAt(), await short.notify()]).toEqual([null, null]);
  });
});
