import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../../db/core/database.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { TurnPublisher } from '../../db/stream/turn-publisher.ts';
import type { StepEvent } from '../../domain/events.ts';
import { RecordingViewer } from '../../test/support/recording-viewer.ts';
import { ChatFixture, type StepFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { ChatFeed } from './chat-feed.ts';
import { ChatFeeds } from './chat-feeds.ts';

let testDatabase: TestDatabase;
let database: Database;
let feeds: ChatFeeds;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 4 });
  const nothing = () => undefined;
  const alsoListen = { channels: [], onNotification: nothing, onDisconnect: nothing, onReconnect: nothing };
  feeds = await ChatFeeds.start({ database, log: pino({ level: 'silent' }), alsoListen });
});
afterAll(async () => {
  await feeds.close();
  await database.close();
  await testDatabase.drop();
});

interface Scene {
  readonly chat: ChatFixture;
  readonly step: StepFixture;
  readonly viewer: RecordingViewer;
  announce(step: StepEvent): void;
}

async function begin(publisher: TurnPublisher): Promise<Scene> {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const viewer = new RecordingViewer();
  await feeds.subscribe(chat.ref, () => viewer);
  const step = await chat.begin();
  const recipients = [{ chatId: chat.ref.chatId, turnId: step.turnId, turnSeq: step.turnSeq, afterSeq: step.afterSeq }];
  return { chat, step, viewer, announce: (event) => publisher.announce(recipients, event) };
}

function failOn(error: unknown): void {
  throw error;
}

function say(publisher: TurnPublisher, { chat, step }: Scene, text: string): void {
  const turn = { ...chat.ref, id: step.turnId, seq: step.turnSeq, afterSeq: step.afterSeq, attempt: 1 };
  publisher.open({ ...turn, step: 0, baseLength: 0 }).append(text);
}

/** Drops the listening connection, so that every chat is read again. */
async function loseNotifications(): Promise<void> {
  await database.system.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen %'",
  );
}

describe('the feeds', () => {
  test('show the steps and texts of a turn in order, when a worker publishes them', async () => {
    const publisher = new TurnPublisher(database, failOn);
    const { chat, step, viewer, announce } = await begin(publisher);
    const { turnId: id, turnSeq: seq, afterSeq } = step;
    const turn = { ...chat.ref, id, seq, afterSeq, attempt: 1 };
    publisher.open({ ...turn, step: 0, baseLength: 0 }).append('Let me see.');
    step.text = 'Let me see.';
    const tool = await step.storeTool();
    const { start } = await tool.begin();
    announce(start);
    const done = await tool.end();
    announce(done.event as StepEvent);
    const last = await chat.begin(step.texts);
    last.text = 'It is noon.';
    const stream = publisher.open({ ...turn, step: 1, baseLength: 11 });
    stream.append('\n\nIt is noon.');
    await last.end(1);
    stream.end();
    await waitUntil('the end', () => viewer.ended[0]);
    expect(viewer.steps).toEqual([
      // Text that came before a step is shown before it; rows that are read late may bring more.
      { turnId: id, step: start, textBefore: expect.stringMatching(/^Let me see\./) },
      { turnId: id, step: done.event, textBefore: expect.stringContaining('Let me see.') },
    ]);
    expect(viewer.texts.get(id)).toBe('Let me see.\n\nIt is noon.');
  });

  test('show the end of a step within seconds, when its worker died before it announced it', async () => {
    const publisher = new TurnPublisher(database, failOn);
    const { step, viewer, announce } = await begin(publisher);
    const tool = await step.storeTool();
    const { start } = await tool.begin();
    announce(start);
    await waitUntil('the start', () => viewer.steps[0]);
    const { event } = await tool.end('unknown');
    await waitUntil('the end', () => viewer.steps[1]);
    expect(viewer.steps.map((shown) => shown.step)).toEqual([start, event]);
  });

  test('show the end of a turn while reading a chat of another organization takes long', async () => {
    const publisher = new TurnPublisher(database, failOn);
    const slow = await begin(publisher);
    const quick = await begin(publisher);
    const reload = jest.spyOn(ChatFeed.prototype, 'reload');
    const gate = await database.system.connect();
    await gate.query('select pg_advisory_lock(1)');
    const statement = { text: 'select pg_advisory_xact_lock(1)', values: [] };
    // All connections that the organization may have.
    const waits = Array.from({ length: 3 }, async () => database.tenant.query(slow.chat.ref.orgId, statement));
    await loseNotifications();
    await waitUntil('the reading of both', () => (reload.mock.calls.length >= 2 ? true : undefined));
    reload.mockRestore();
    say(publisher, slow, 'Slow.');
    await quick.step.end();
    await waitUntil('the end', () => quick.viewer.ended[0]);
    await gate.query('select pg_advisory_unlock(1)');
    gate.release();
    await Promise.all(waits);
    expect(await waitUntil('the text', () => slow.viewer.texts.get(slow.step.turnId))).toBe('Slow.');
  });

  test('show the text of a chat that could not be read at first', async () => {
    const publisher = new TurnPublisher(database, failOn);
    const scene = await begin(publisher);
    const reload = jest.spyOn(ChatFeed.prototype, 'reload').mockRejectedValue(new Error('busy'));
    await loseNotifications();
    await waitUntil('the failure', () => reload.mock.calls[0]);
    say(publisher, scene, 'Here.');
    reload.mockRestore();
    expect(await waitUntil('the text', () => scene.viewer.texts.get(scene.step.turnId))).toBe('Here.');
  });
});
