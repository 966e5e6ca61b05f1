import { expect, test } from '@jest/globals';
import { waitUntil } from '../test/support/wait-until.ts';
import { createLog } from './log.ts';
import { Outage } from './outage.ts';

class Away extends Error {}

function openLog() {
  const lines: Record<string, unknown>[] = [];
  const outage = new Outage({
    name: 'the database',
    isMeant: (error, message) => error instanceof Away || message.startsWith('gRPC call'),
    probeMs: 1,
  });
  const to = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = createLog({ name: 'test', level: 'info', outages: [outage], to });
  const messages = () => lines.map(({ msg }) => msg);
  return { outage, log, lines, messages };
}

test('an outage is a line when it begins and one when it ends, however much fails because of it', async () => {
  const { outage, log, lines, messages } = openLog();
  let [isAway, probes] = [true, 0];
  outage.watch(async () => {
    probes += 1;
    if (isAway) throw new Away();
  });
  for (let at = 0; at < 100; at += 1) log.warn({ err: new Away('gone') }, 'a job failed');
  log.warn({}, 'gRPC call poll retried 5 times');
  await waitUntil('a few probes', () => probes > 3 || undefined);
  log.warn({ err: new Error('other') }, 'something else failed');
  isAway = false;
  await waitUntil('the end', () => lines.length > 2 || undefined);
  expect(messages()).toEqual([
    'the database is away; warnings because of that are left out',
    'something else failed',
    expect.stringMatching(/^the database is back after \d+ s$/),
  ]);
  expect(lines[0]).toMatchObject({ level: 40, outage: 'the database', err: { message: 'gone' } });

  isAway = true;
  log.warn({ err: new Away('again') }, 'a job failed');
  expect(lines).toHaveLength(4);
  outage.close();
});

test('what fails before an outage can be watched, and errors, are logged as they are', () => {
  const { outage, log, messages } = openLog();
  log.warn({ err: new Away() }, 'not reachable yet');
  outage.watch(async () => undefined);
  log.error({ err: new Away() }, 'a frame could not be handled');
  expect(messages()).toEqual(['not reachable yet', 'a frame could not be handled']);
});
