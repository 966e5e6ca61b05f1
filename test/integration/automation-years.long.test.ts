import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import type { Schedule } from '../../db/schedules/schedule.entity.ts';
import { passTime } from '../support/pass-time.ts';
import { say } from '../support/scripted-model/index.ts';
import { SteppedSchedules } from '../support/stepped-schedules.ts';
import { startOwnInstance, type OwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: OwnInstance;
let chat: OpenChat;

const isWaiting = async () => {
  const { json } = await chat.user.client.get<{ status: string }>(`/api/chats/${chat.id}`);
  return json.status === 'waiting' ? true : undefined;
};

describe('a turn that waits', () => {
  beforeAll(async () => {
    instance = await startOwnInstance();
  });
  afterAll(async () => instance.close());
  afterEach(() => {
    chat.close();
    instance.model.script(null);
  });

  test('makes its call once when a person approves it after 40 days and a deployment', async () => {
    const agent = { tools: ['memory_manage'], requires_approval: { memory_manage: 'writes' } };
    chat = await OpenChat.create(instance, { agent });
    const call = { action: 'add', content: 'The release is in May' };
    const stream = await chat.post({
      content: `[[tool memory_manage ${JSON.stringify(call)}]] [[then]] [[say noted]]`,
    });
    await waitUntil('the call to wait', isWaiting);
    const { client } = chat.user;
    await passTime(instance.api.database, '40 days');
    await instance.killWorkers();
    await instance.addWorker();
    const { json: pending } = await client.get<{ id: string }[]>('/api/approvals?status=pending');
    expect(pending).toHaveLength(1);
    const { json } = await client.post(`/api/approvals/${pending[0]?.id}/decision`, { approve: true });
    expect(json).toMatchObject({ status: 'approved' });
    expect((await stream.waitForEnd()).event).toBe('stream_end');
    expect((await chat.answers()).map(({ content }) => content)).toEqual(['noted']);
    const { rows } = await instance.api.database.system.query('select content from agent_memories');
    expect(rows).toEqual([{ content: call.content }]);
  });

  test('ends with one answer when its provider is out for 5 hours', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script({ kind: 'status', status: 429, retryAfter: '3600' });
    const asked = instance.model.requests.length;
    const stream = await chat.post({ content: 'Anybody there?' });
    for (let hours = 1; hours <= 5; hours += 1) {
      const isAsked = async () => (instance.model.requests.length === asked + hours ? isWaiting() : undefined);
      await waitUntil('the provider to be asked', isAsked);
      if (hours === 5) instance.model.script(say('here again'));
      // The timer of the workflow keeps the real time; the row is due half a minute after it.
      await passTime(instance.api.database, '61 minutes');
    }
    expect((await stream.waitForEnd()).event).toBe('stream_end');
    expect((await chat.answers()).map(({ content }) => content)).toEqual(['here again']);
    // Once an hour, and not more often.
    expect(instance.model.requests.length - asked).toBe(6);
  });
});

describe('a schedule', () => {
  let clocks: SteppedSchedules;
  beforeAll(async () => {
    clocks = await SteppedSchedules.open();
  });
  afterAll(async () => clocks.close());
  beforeEach(async () => clocks.database.system.query('delete from schedules'));

  test('has a run for each time in three zones over both changes of their clocks', async () => {
    const spans = [
      [new Date('2027-03-10T00:00:00Z'), new Date('2027-04-08T00:00:00Z')],
      [new Date('2027-09-29T00:00:00Z'), new Date('2027-11-10T00:00:00Z')],
    ] as const;
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
    const found: unknown[] = [];
    const irregular: string[] = [];
    for (const [from, end] of spans) {
      const schedules: Schedule[] = [];
      for (const zone of zones)
        for (const line of ['15 2 * * *', '45 1 * * *']) schedules.push(await clocks.add(line, zone, from));
      for (let now = await clocks.nextDue(end); now !== undefined; now = await clocks.nextDue(end))
        await clocks.work(now);
      for (const schedule of schedules) {
        const { runs, doubles, gaps, slots } = await clocks.count(schedule, end);
        const times = slots.map((slot) => DateTime.fromMillis(slot, { zone: schedule.timezone }));
        const usual = schedule.cronExpr === '15 2 * * *' ? '02:15' : '01:45';
        for (const [at, time] of times.entries()) {
          const days = time.startOf('day').diff((times[at - 1] ?? time.minus({ days: 1 })).startOf('day'), 'days').days;
          const shown = time.toFormat('HH:mm');
          if (days !== 1 || shown !== usual)
            irregular.push(`${schedule.timezone} ${usual}: ${time.toFormat('MM-dd')} ${shown}, ${days} days later`);
        }
        found.push({ doubles, gaps, isWhole: runs >= 28 });
      }
      await clocks.database.system.query('delete from schedules');
    }
    expect(found).toEqual(Array.from({ length: 12 }, () => ({ doubles: 0, gaps: 0, isWhole: true })));
    expect(irregular).toEqual([
      'Europe/Berlin 02:15: 03-29 02:15, 2 days later',
      'America/New_York 02:15: 03-15 02:15, 2 days later',
      'Europe/Berlin 01:45: 10-31 02:45, 0 days later',
      'America/New_York 01:45: 11-07 01:45, 0 days later',
      'Australia/Lord_Howe 02:15: 10-03 02:45, 1 days later',
    ]);
  });
});
