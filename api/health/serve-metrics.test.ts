import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { reportWorker } from '../../db/workers.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createProvider, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { sendRaw } from '../../test/support/raw-http.ts';

const TOKEN = 'a-token-for-the-metrics';
const open = serveTestApi({ isOwn: true });
const guarded = serveTestApi({ metricsToken: TOKEN });
const head = (...lines: string[]) => ['GET /metrics HTTP/1.1', ...lines].join('\r\n');
const bearer = (token: string) => `Authorization: Bearer ${token}`;

describe('GET /metrics', () => {
  test('shows whether the workers have a sandbox', async () => {
    const line = async () => {
      const { text } = await sendRaw(open.url, { head: head(), hosts: ['127.0.0.1'] });
      return /^everturn_sandbox_available .*$/m.exec(text)?.[0];
    };
    expect(await line()).toBe('everturn_sandbox_available 0');
    await reportWorker(open.api.database, randomUUID(), { lacks: {}, workspaceFreeBytes: null });
    expect(await line()).toBe('everturn_sandbox_available 1');
  });

  test('shows how many workers run', async () => {
    const count = async () => {
      const { text } = await sendRaw(open.url, { head: head(), hosts: ['127.0.0.1'] });
      return Number(/^everturn_workers (.*)$/m.exec(text)?.[1]);
    };
    await open.api.database.system.query('delete from workers');
    expect(await count()).toBe(0);
    const id = randomUUID();
    await reportWorker(open.api.database, id, { lacks: {}, workspaceFreeBytes: null });
    expect(await count()).toBe(1);
    const past = "update workers set seen_at = now() - interval '61 seconds' where id = $1";
    await open.api.database.system.query(past, [id]);
    expect(await count()).toBe(0);
  });

  test('shows what is under way or waits, and whether Temporal can be reached', async () => {
    const { database } = open.api;
    const read = async () => {
      const { text } = await sendRaw(open.url, { head: head(), hosts: ['127.0.0.1'] });
      const work = [...text.matchAll(/^everturn_open_work\{kind="(\w+)"\} (\d+)$/gm)];
      return { text, work: Object.fromEntries(work.map(([, kind, count]) => [kind, Number(count)])) };
    };
    const before = (await read()).work;
    const chat = await ChatFixture.create(database);
    await chat.accept();
    await chat.accept();
    await chat.claim(chat.ref.chatId);
    const { text, work } = await read();
    expect(work).toEqual({
      ...before,
      turns_queued: Number(before['turns_queued']) + 1,
      turns_at_work: Number(before['turns_at_work']) + 1,
    });
    expect(Object.keys(work)).toEqual([
      'turns_queued',
      'turns_at_work',
      'turns_waiting',
      'approvals',
      'runs',
      'webhook_deliveries',
      'overdue_schedules',
    ]);
    expect(text).toContain('\neverturn_engine_reachable 0\n');
    expect(text).toContain('\neverturn_open_connections 0\n');
    expect(text).toMatch(/^everturn_build_info\{version="[\d.]+"\} 1$/m);
    expect(text).toMatch(/^everturn_database_connections\{pool="system",state="waiting"\} 0$/m);
    expect(text).toMatch(/^everturn_table_bytes\{table="messages"\} [1-9]\d*$/m);
  });

  test('shows how many accounts of providers are in which state', async () => {
    const { database } = open.api;
    const read = async () => {
      const { text } = await sendRaw(open.url, { head: head(), hosts: ['127.0.0.1'] });
      const states = [...text.matchAll(/^everturn_provider_accounts\{state="(\w+)"\} (\d+)$/gm)];
      return Object.fromEntries(states.map(([, state, count]) => [state, Number(count)]));
    };
    await database.system.query('update provider_accounts set deleted_at = now()');
    const user = await registerUser(open.url);
    const ids: string[] = [];
    for (const name of ['Fine', 'Resting', 'Refused'])
      ids.push(await createProvider(user.client, 'https://example.com', { name }));
    const set = async (id: string | undefined, column: string) =>
      database.system.query(`update provider_accounts set ${column} = now() + interval '1 hour' where id = $1`, [id]);
    await set(ids[1], 'cooldown_until');
    await set(ids[2], 'disabled_at');
    expect(await read()).toEqual({ active: 1, cooling_down: 1, disabled: 1 });
  });

  test('shows how much is free on the fullest disk of workspaces', async () => {
    const { database } = open.api;
    const bytes = async () => {
      const { text } = await sendRaw(open.url, { head: head(), hosts: ['127.0.0.1'] });
      return /^everturn_workspace_free_bytes (.*)$/m.exec(text)?.[1];
    };
    await database.system.query('delete from workers');
    expect(await bytes()).toBeUndefined();
    for (const free of [5_000_000_000, 4_000_000_000, null])
      await reportWorker(database, randomUUID(), { lacks: {}, workspaceFreeBytes: free });
    expect(await bytes()).toBe('4000000000');
  });

  test('shows for how long the oldest turn waits for a worker', async () => {
    const { database } = open.api;
    const seconds = async () => {
      const { text } = await sendRaw(open.url, { head: head(), hosts: ['127.0.0.1'] });
      return Number(/^everturn_oldest_waiting_turn_seconds (.*)$/m.exec(text)?.[1]);
    };
    // Others leave their turns behind.
    await database.system.query("update turns set next_wake_at = now() + interval '1 hour'");
    const chat = await ChatFixture.create(database);
    await chat.accept();
    expect(await seconds()).toBe(0);
    await database.system.query("update turns set next_wake_at = now() - interval '1 hour' where chat_id = $1", [
      chat.ref.chatId,
    ]);
    expect(await seconds()).toBeGreaterThanOrEqual(3_600);
    await chat.claim(chat.ref.chatId);
    expect(await seconds()).toBe(0);
  });

  test.each(['127.0.0.1', 'localhost:3000', '[::1]'])('answers this machine, which calls it %s', async (host) => {
    for (const { url } of [open, guarded]) {
      const answer = await sendRaw(url, { head: head(), hosts: [host] });
      expect([answer.status, answer.text.includes('everturn_open_sockets')]).toEqual([200, true]);
    }
  });

  const passedOn = [
    ['says whom it is for', head('X-Forwarded-For: 198.51.100.1'), '127.0.0.1'],
    ['says so in the standard way', head('Forwarded: for=198.51.100.1'), '127.0.0.1'],
    ['says only that it passes it on', head('Via: 1.1 proxy'), '127.0.0.1'],
    ['says so in its own way', head('X-Real-IP: 198.51.100.1'), '127.0.0.1'],
    ['passes the name on', head(), 'everturn.example.com'],
  ] as const;

  test.each(passedOn)('is not there for who comes through a proxy that %s', async (_how, lines, host) => {
    const answer = await sendRaw(open.url, { head: lines, hosts: [host] });
    expect([answer.status, answer.text.includes('everturn_open_sockets')]).toEqual([404, false]);
    const given = await sendRaw(open.url, { head: `${lines}\r\n${bearer(TOKEN)}`, hosts: [host] });
    expect(given.status).toBe(404);
  });

  test.each(passedOn)('wants the token of who comes through a proxy that %s', async (_how, lines, host) => {
    const statusWith = async (token: string) =>
      (await sendRaw(guarded.url, { head: `${lines}\r\n${bearer(token)}`, hosts: [host] })).status;
    expect((await sendRaw(guarded.url, { head: lines, hosts: [host] })).status).toBe(401);
    expect([await statusWith('another token'), await statusWith(`${TOKEN}x`)]).toEqual([401, 401]);
  });

  test('answers who has the token', async () => {
    const answer = await sendRaw(guarded.url, {
      head: head(bearer(TOKEN), 'X-Forwarded-For: 198.51.100.1'),
    });
    expect(answer.status).toBe(200);
  });
});
