import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { insertUser } from '../../test/support/rows.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { storeWaitingCall } from '../../test/support/waiting-call.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { Database } from '../core/database.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { connectDatabase } from '../orm/connect.ts';
import { notifyAsked } from './notify-asked.ts';

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

const HOUR_MS = 3_600_000;

/**
 * A call that waits, in an organization that reminds of it after half an hour, and escalates it to administrators. One
 * of them has added a server of mails.
 */
async function askedCall(waitMs = HOUR_MS) {
  const chat = await ChatFixture.create(database);
  const { orgId } = chat.ref;
  const setOrg = async (change: string) => database.system.query(`update orgs set ${change} where id = $1`, [orgId]);
  await setOrg('approvals_reminder_minutes = 30, approvals_escalation_minutes = 45');
  const server = `insert into integrations (id, org_id, owner_id, kind, name, base_url, credentials, credential_fields, secret_places, connection)
    values (gen_random_uuid(), $1, $2, 'smtp', 'Mail', 'smtp://localhost', '', '[]', '[]', gen_random_uuid())`;
  const host = await insertUser(database, [orgId], 'admin');
  await database.system.query(server, [orgId, host]);
  const { turnId, approvalId } = await storeWaitingCall(database, { ...chat.ref, userId: chat.userId }, { waitMs });
  const read = async () => {
    const { rows } = await database.system.query<Row>(
      `select remind_at as "remindAt", escalate_at as "escalateAt", escalated_at as "escalatedAt", status,
        escalated_user_id as "userId", escalated_role as role from approvals where id = $1`,
      [approvalId],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('the approval is stored');
    return row;
  };
  return {
    chat,
    /** The administrator whose server sends mails. */
    host,
    approvalId,
    read,
    setOrg,
    notify: async () => notifyAsked(database, { orgId, turnId }),
    set: async (change: string) => database.system.query(`update approvals set ${change} where id = $1`, [approvalId]),
    /** The related ids of each entry of the audit log, and its fields. */
    audited: async (action: string) => {
      const text = 'select related_ids::text[] || fields as named from audit_log where record_id = $1 and action = $2';
      const { rows } = await database.system.query<{ named: string[] }>(text, [approvalId, `approvals.${action}`]);
      return rows.map(({ named }) => named);
    },
    notified: async () => {
      const { rows } = await database.system.query<{ id: string }>(
        `select w.member_id as id from webhook_deliveries d join webhook_targets w on w.id = d.target_id
          where d.approval_id = $1`,
        [approvalId],
      );
      return rows.map(({ id }) => id);
    },
  };
}

interface Row {
  readonly remindAt: Date | null;
  readonly escalateAt: Date | null;
  readonly escalatedAt: Date | null;
  readonly userId: string | null;
  readonly role: string | null;
  readonly status: string;
}

/** Adds a member who wants mails. */
async function addMember(orgId: string, role: Role = 'member'): Promise<string> {
  const id = await insertUser(database, [orgId], role);
  await database.system.query('update users set mail_notifications = true where id = $1', [id]);
  return id;
}

describe('a reminder', () => {
  test('is waited for until it is due, and taken once by several workers', async () => {
    const call = await askedCall();
    const { remindAt } = await call.read();
    const againAt = await call.notify();
    expect([Number(againAt) - Number(remindAt), await call.audited('remind')]).toEqual([250, []]);
    await call.set('remind_at = now(), escalate_at = null');
    const all = await Promise.all(Array.from({ length: 8 }, call.notify));
    expect(all).toEqual(Array.from({ length: 8 }, () => null));
    expect([(await call.read()).remindAt, await call.audited('remind')]).toEqual([null, [[call.chat.agentId]]]);
  });

  test('is not sent of what is decided, or expires before', async () => {
    const decided = await askedCall();
    await decided.set("status = 'denied', remind_at = now()");
    expect([await decided.notify(), await decided.audited('remind')]).toEqual([null, []]);
    const short = await askedCall(HOUR_MS / 4);
    expect(await short.read()).toMatchObject({ remindAt: null, escalateAt: null });
    expect(await short.notify()).toBeNull();
  });
});

describe('notifyAsked', () => {
  test('mails a hundred people about one approval, however often it runs, and those to whom it is escalated', async () => {
    const call = await askedCall();
    const { orgId } = call.chat.ref;
    await call.set("default_answer = 'no', asked_role = 'member'");
    await addMember(orgId);
    await Promise.all(Array.from({ length: 102 }, async () => addMember(orgId)));
    await call.notify();
    await call.notify();
    const first = new Set(await call.notified());
    expect(first.size).toBe(100);
    await call.set('remind_at = now()');
    await database.system.query("update webhook_deliveries set status = 'delivered' where approval_id = $1", [
      call.approvalId,
    ]);
    await call.notify();
    expect((await call.notified()).filter((id) => first.has(id))).toHaveLength(200);
    const admin = await addMember(orgId, 'admin');
    await call.set('escalate_at = now()');
    await call.notify();
    await call.notify();
    expect((await call.notified()).filter((id) => !first.has(id))).toEqual([admin]);
  });

  test('queues no mail while the only server of mails belongs to a member', async () => {
    const call = await askedCall();
    const member = await addMember(call.chat.ref.orgId);
    await call.set(`default_answer = 'no', asked_user_id = '${member}'`);
    const hostBecomes = async (role: Role) =>
      database.system.query('update memberships set role = $2 where user_id = $1', [call.host, role]);
    await hostBecomes('member');
    await call.notify();
    expect(await call.notified()).toEqual([]);
    await hostBecomes('admin');
    await call.notify();
    expect(await call.notified()).toEqual([member]);
  });
});

describe('an escalation', () => {
  const isDue = 'escalate_at = now()';

  test('is waited for after the reminder, and taken once by several workers, for the holders of the role', async () => {
    const call = await askedCall();
    const { orgId } = call.chat.ref;
    const [admin, owner] = [await addMember(orgId, 'admin'), await addMember(orgId, 'owner')];
    await addMember(orgId);
    await call.set('remind_at = now()');
    const { escalateAt } = await call.read();
    expect(Number(await call.notify()) - Number(escalateAt)).toBe(250);
    expect(await call.notified()).toEqual([]);
    await call.set(isDue);
    await Promise.all(Array.from({ length: 8 }, call.notify));
    expect(await call.read()).toMatchObject({
      escalateAt: null,
      escalatedAt: expect.any(Date),
      role: 'admin',
      userId: null,
    });
    expect(await call.audited('escalate')).toEqual([[call.chat.agentId, 'approvals_escalation_role']]);
    expect(new Set(await call.notified())).toEqual(new Set([admin, owner]));
    const { escalatedAt } = await call.read();
    await call.notify();
    expect([(await call.read()).escalatedAt, (await call.notified()).length]).toEqual([escalatedAt, 2]);
  });

  test('comes with the reminder when both were missed', async () => {
    const call = await askedCall();
    await call.set(`remind_at = now(), ${isDue}`);
    expect(await call.notify()).toBeNull();
    expect([(await call.audited('remind')).length, (await call.audited('escalate')).length]).toEqual([1, 1]);
  });

  const leaves = 'delete from memberships where user_id = $1';
  const becomes = (role: Role) => `update memberships set role = '${role}' where user_id = $1`;
  const joins = (group: string) => `with g as (
      insert into permission_groups (id, org_id, name, permissions, limits, allowlists)
        select gen_random_uuid(), org_id, gen_random_uuid()::text, '["approvals.${group}"]', '{}', '{}' from memberships where user_id = $1
        returning id, org_id
    ) insert into permission_group_members (org_id, group_id, user_id) select org_id, id, $1 from g`;

  test.each([
    ['are a member', []],
    ['hold the key by one of their groups', [joins('view'), joins('manage')]],
    ['are an administrator, whatever their groups say', [joins('view'), becomes('admin')]],
  ])('goes to the member who is named when they %s', async (_, changes) => {
    const { call, named } = await escalatedTo(changes);
    expect(await call.read()).toMatchObject({ userId: named, role: null });
    expect(await call.notified()).toContain(named);
    expect(await call.audited('escalate')).toEqual([[call.chat.agentId, named, 'approvals_escalation_user_id']]);
  });

  test.each([
    ['have left', [leaves]],
    ['are a viewer', [joins('manage'), becomes('viewer')]],
    ['lost the key by a group', [joins('view')]],
  ])('goes to those of the role when the member who is named %s, and its entry says so', async (_, changes) => {
    const { call, named, admin } = await escalatedTo(changes);
    expect(await call.read()).toMatchObject({ userId: null, role: 'admin' });
    expect(await call.notified()).toEqual([admin]);
    const passedOver = changes.includes(leaves) ? [] : [named];
    const entry = [call.chat.agentId, ...passedOver, 'approvals_escalation_role'];
    expect(await call.audited('escalate')).toEqual([entry]);
  });

  async function escalatedTo(changes: readonly string[]) {
    const call = await askedCall();
    const { orgId } = call.chat.ref;
    const [named, admin] = [await addMember(orgId), await addMember(orgId, 'admin')];
    await call.setOrg(`approvals_escalation_user_id = '${named}'`);
    for (const change of changes) await database.system.query(change, [named]);
    await call.set(isDue);
    await call.notify();
    return { call, named, admin };
  }

  test.each([
    ['the user of a call', 'status = status'],
    [
      'whom a question asks',
      "default_answer = 'no', asked_user_id = (select user_id from chats c where c.id = chat_id)",
    ],
  ])('goes to those of the role when the member who is named is %s', async (_, change) => {
    const call = await askedCall();
    const {
      ref: { orgId },
      userId,
      agentId,
    } = call.chat;
    const admin = await addMember(orgId, 'admin');
    await database.system.query('insert into memberships (org_id, user_id, role) values ($1, $2, $3)', [
      orgId,
      userId,
      'member',
    ]);
    await call.setOrg(`approvals_escalation_user_id = '${userId}'`);
    await call.set(`${isDue}, ${change}`);
    await call.notify();
    expect(await call.read()).toMatchObject({ userId: null, role: 'admin' });
    expect([await call.notified(), await call.audited('escalate')]).toEqual([
      [admin],
      [[agentId, userId, 'approvals_escalation_role']],
    ]);
  });

  test('is asked of nobody who may not approve it alone: the user, where another person has to', async () => {
    const call = await askedCall();
    const { orgId } = call.chat.ref;
    await call.setOrg('approvals_other_person = true');
    const admin = await addMember(orgId, 'admin');
    const own = "insert into memberships (org_id, user_id, role) values ($1, $2, 'admin')";
    await database.system.query(own, [orgId, call.chat.userId]);
    await database.system.query('update users set mail_notifications = true where id = $1', [call.chat.userId]);
    await call.set(isDue);
    await call.notify();
    expect(await call.notified()).toEqual([admin]);
  });

  test('is left out once the organization has turned it off, and keeps its time when it is changed', async () => {
    const changed = await askedCall();
    const { escalateAt } = await changed.read();
    await changed.setOrg("approvals_escalation_minutes = 1, approvals_escalation_role = 'owner'");
    expect([Number(await changed.notify()) < Number(escalateAt), (await changed.read()).escalateAt]).toEqual([
      true,
      escalateAt,
    ]);
    await changed.set(isDue);
    await changed.notify();
    expect(await changed.read()).toMatchObject({ role: 'owner' });
    const off = await askedCall();
    await off.setOrg('approvals_escalation_minutes = null');
    await off.set(isDue);
    await off.notify();
    expect(await off.read()).toMatchObject({ escalateAt: null, escalatedAt: null, role: null });
    expect(await off.audited('escalate')).toEqual([]);
  });

  test('of what is decided in the same moment comes before the decision, or not at all', async () => {
    for (let round = 0; round < 8; round += 1) {
      const call = await askedCall();
      const {
        ref: { orgId },
        userId,
      } = call.chat;
      await call.set(isDue);
      const decision = { approvalId: call.approvalId, userId, status: 'approved', note: null, answer: null } as const;
      const decide = async () => decideApproval(database, orgId, { ...decision, editedArguments: null, lapsed: [] });
      await Promise.all(round % 2 === 0 ? [decide(), call.notify()] : [call.notify(), decide()]);
      const { status, escalatedAt } = await call.read();
      expect(status).toBe('approved');
      expect(await call.audited('escalate')).toHaveLength(escalatedAt === null ? 0 : 1);
    }
  });
});
