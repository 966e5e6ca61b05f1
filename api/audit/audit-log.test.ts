import { randomUUID } from 'node:crypto';
import { describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../../db/core/database.ts';
import { registerUser } from '../../db/membership-changes/change-members.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import type { AuditEvent } from '../auditing/audited-caller.ts';
import { AuditLog, GroupedWrites } from './audit-log.ts';

describe('audit log', () => {
  const database = serveTestDatabase({ poolSize: 2 });

  interface Stored {
    readonly orgId: string;
    readonly action: string;
    readonly attempts: number;
  }

  const open = (of: Pick<Database, 'system'> = database) =>
    new AuditLog({ database: { ...database, ...of }, log: pino({ level: 'silent' }) });

  async function makeUser(): Promise<{ userId: string; orgId: string }> {
    const email = `${randomUUID()}@example.com`;
    const { userId } = await registerUser(database, { email, fullName: '', passwordHash: '', orgName: 'Own' });
    const { rows } = await database.system.query<{ orgId: string }>(
      'select org_id as "orgId" from memberships where user_id = $1',
      [userId],
    );
    return { userId, orgId: rows[0]?.orgId ?? '' };
  }

  function event(actorId: string | undefined, fields: Partial<AuditEvent> = {}): AuditEvent {
    return {
      actorId,
      orgId: undefined,
      sessionId: undefined,
      apiKeyId: undefined,
      apiKeyPublicId: undefined,
      action: 'agents.update',
      recordType: 'agents',
      recordId: undefined,
      relatedIds: [],
      fields: [],
      outcome: 'success',
      status: 200,
      ip: '127.0.0.1',
      ...fields,
    };
  }

  async function storedOf(userId: string): Promise<Stored[]> {
    const { rows } = await database.system.query<Stored>(
      'select org_id as "orgId", action, attempts from audit_log where actor_id = $1 order by id',
      [userId],
    );
    return rows;
  }

  /** Returns connections whose first statements fail as they do while the server is down. */
  function failing(times: number): Pick<Database, 'system'> {
    let left = times;
    const query = async (...statement: unknown[]): Promise<unknown> => {
      left -= 1;
      if (left >= 0) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return (database.system.query as (...args: unknown[]) => Promise<unknown>)(...statement);
    };
    return { system: { query } as unknown as Database['system'] };
  }

  describe('the audit log', () => {
    test('has stored a change when it says so', async () => {
      const { userId, orgId } = await makeUser();
      const log = open();
      await log.changed(event(userId, { orgId }));
      expect(await storedOf(userId)).toEqual([{ orgId, action: 'agents.update', attempts: 1 }]);
      await log.close();
    });

    test("names the actor's active organization when the one that it concerns is gone or unknown", async () => {
      const { userId, orgId } = await makeUser();
      const deleted = randomUUID();
      await database.system.query("insert into orgs (id, name, deleted_at) values ($1, 'Gone', now())", [deleted]);
      const log = open();
      for (const id of [deleted, randomUUID(), undefined]) await log.changed(event(userId, { orgId: id }));
      expect((await storedOf(userId)).map((entry) => entry.orgId)).toEqual([orgId, orgId, orgId]);
      await log.close();
    });

    test('stores a change that came while the database was away when it is back, once', async () => {
      const { userId } = await makeUser();
      const log = open(failing(2));
      await log.changed(event(userId));
      expect(await storedOf(userId)).toEqual([]);
      await log.close();
      expect(await storedOf(userId)).toEqual([]);
      const other = open(failing(1));
      await other.changed(event(userId));
      await other.close();
      expect(await storedOf(userId)).toHaveLength(1);
    });

    test('keeps no answer waiting for a database that does not answer', async () => {
      const log = open({
        system: { query: async () => new Promise(() => undefined) } as unknown as Database['system'],
      });
      jest.useFakeTimers();
      try {
        const changed = log.changed(event(randomUUID()));
        await jest.advanceTimersByTimeAsync(4_000);
        await changed;
      } finally {
        jest.useRealTimers();
      }
      // Never flushed: its query never ends.
      void log.close();
    });

    test('stores the others when one entry cannot be stored', async () => {
      const { userId } = await makeUser();
      const log = open();
      log.denied(event(userId, { action: 'agents.view', status: 404 }));
      log.denied(event(userId, { action: 'agents.view', status: 10 ** 6 }));
      log.denied(event(userId, { action: 'agents.delete', status: 404 }));
      await log.close();
      expect((await storedOf(userId)).map(({ action }) => action)).toEqual(['agents.view', 'agents.delete']);
    });

    test("stores changes of the same time together, each user's in order, and without the one that cannot be stored", async () => {
      const users = await Promise.all([makeUser(), makeUser()]);
      let statements = 0;
      const query = async (...statement: unknown[]): Promise<unknown> => {
        statements += 1;
        return (database.system.query as (...args: unknown[]) => Promise<unknown>)(...statement);
      };
      const log = open({ system: { query } as unknown as Database['system'] });
      const actions = Array.from({ length: 40 }, (_item, n) => `agents.n${n}`);
      const change = async (action: string) =>
        Promise.all(users.map(async ({ userId, orgId }) => log.changed(event(userId, { orgId, action }))));
      await Promise.all(actions.map(change));
      expect(statements).toBeLessThan(6);
      const tooLong = log.changed(event(users[0].userId, { status: 10 ** 6 }));
      await Promise.all([...actions.map(change), tooLong]);
      for (const { userId } of users)
        expect((await storedOf(userId)).map(({ action }) => action)).toEqual([...actions, ...actions]);
      await log.close();
    });

    test('counts the entries of a flood', async () => {
      const { userId } = await makeUser();
      const log = open();
      for (let n = 0; n < 100; n += 1) log.denied(event(userId, { outcome: 'denied', status: 403 }));
      await log.close();
      expect((await storedOf(userId)).map(({ attempts }) => attempts)).toEqual([...Array<number>(30).fill(1), 70]);
    });

    test('stores nothing of callers whom nobody knows', async () => {
      const count = async () => (await database.system.query('select from audit_log')).rowCount;
      const before = await count();
      const log = open();
      log.denied(event(undefined, { outcome: 'denied', status: 401 }));
      log.denied(event(undefined, { outcome: 'denied', status: 401, sessionId: randomUUID() }));
      log.denied(event(randomUUID(), { outcome: 'denied', status: 401 }));
      await log.close();
      expect(await count()).toBe(before);
    });
  });
});

describe('grouped writes', () => {
  /** Writes that each wait until they are let go, and what they were given. */
  function blockedWrites() {
    const groups: (readonly number[])[] = [];
    const blocked: (() => void)[] = [];
    const writes = new GroupedWrites<number>(async (items) => {
      groups.push(items);
      await new Promise<void>((resolve) => blocked.push(resolve));
    });
    return { writes, groups, blocked };
  }

  const settle = async () => new Promise((resolve) => setImmediate(resolve));

  test('an item is written at once while nothing else is', async () => {
    const { writes, groups, blocked } = blockedWrites();
    const added = writes.add(1);
    expect(groups).toEqual([[1]]);
    blocked[0]?.();
    await added;
  });

  test('what comes while two writes are under way is written together, in order, by the first that ends', async () => {
    const { writes, groups, blocked } = blockedWrites();
    const added = [1, 2, 3, 4, 5].map(async (item) => writes.add(item));
    expect(groups).toEqual([[1], [2]]);
    expect(writes.waitingCount).toBe(3);
    blocked[1]?.();
    await added[1];
    expect(groups).toEqual([[1], [2], [3, 4, 5]]);
    expect(writes.waitingCount).toBe(0);
    blocked[2]?.();
    await Promise.all(added.slice(1));
  });

  test('nothing that was added is said to be written before its write has ended', async () => {
    const { writes, blocked } = blockedWrites();
    const ended: number[] = [];
    for (const item of [1, 2, 3]) void writes.add(item).then(() => ended.push(item));
    const idle = writes.whenIdle().then(() => ended.push(0));
    await settle();
    expect(ended).toEqual([]);
    for (let next = 0; next < 3; next += 1) {
      blocked[next]?.();
      await settle();
    }
    await idle;
    expect(ended).toEqual([1, 2, 3, 0]);
  });

  test('a write takes two hundred items at most', async () => {
    const { writes, groups, blocked } = blockedWrites();
    const added = Array.from({ length: 402 }, async (_item, n) => writes.add(n));
    for (let next = 0; next < 4; next += 1) {
      blocked[next]?.();
      await settle();
    }
    await Promise.all(added);
    expect(groups.map(({ length }) => length)).toEqual([1, 1, 200, 200]);
  });
});
