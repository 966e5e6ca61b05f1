import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { reportWorker } from '../../db/workers.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { WorkerWatch } from './worker-watch.ts';

const database = serveTestDatabase({ poolSize: 2 });

test('it is logged once that no worker runs any more, and once that one runs again', async () => {
  const logged: string[] = [];
  let reads = 0;
  const counted = {
    ...database,
    system: new Proxy(database.system, {
      get: (target, name) => {
        if (name === 'query') reads += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  };
  const log = {
    warn: (_fields: unknown, message: string) => void logged.push(`warn: ${message}`),
    info: (_fields: unknown, message: string) => void logged.push(`info: ${message}`),
  };
  const watch = new WorkerWatch({ database: counted, log, everyMs: 1 });
  const fewMoreChecks = async () => {
    const before = reads;
    await waitUntil('a few more checks', () => reads > before + 5 || undefined);
  };
  try {
    const isAway = async (away: boolean) =>
      waitUntil(`workers that are ${away ? 'away' : 'there'}`, () => watch.areAway === away || undefined);
    await isAway(true);
    await fewMoreChecks();
    const id = randomUUID();
    await reportWorker(database, id, { lacks: {}, workspaceFreeBytes: null });
    await isAway(false);
    await fewMoreChecks();
    expect(logged).toEqual([
      'warn: no worker is running: messages are accepted, and wait until one is',
      'info: a worker is running again: turns that have waited continue',
    ]);
    await database.system.query("update workers set seen_at = now() - interval '61 seconds' where id = $1", [id]);
    await isAway(true);
    await fewMoreChecks();
    expect(logged).toHaveLength(3);
  } finally {
    watch.close();
  }
});
