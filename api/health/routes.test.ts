import { expect, test } from '@jest/globals';
import { isDatabaseAway } from '../../db/core/unavailable.ts';
import { createLog } from '../../telemetry/log.ts';
import { Outage } from '../../telemetry/outage.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { isTemporalAway } from '../../workflows/core/client.ts';
import { checkReadiness } from './routes.ts';

const database = serveTestDatabase({ poolSize: 2 });

/** Checks the readiness of a process with these parts, and returns the outages that its log has noticed. */
async function outagesOf(parts: { query?: () => Promise<never>; ask?: () => Promise<unknown> }): Promise<unknown[]> {
  const lines: { outage?: string }[] = [];
  const outages = [
    new Outage({ name: 'the database', isMeant: isDatabaseAway }),
    new Outage({ name: 'Temporal', isMeant: isTemporalAway }),
  ];
  for (const outage of outages) outage.watch(async () => undefined);
  const to = { write: (line: string) => void lines.push(JSON.parse(line) as { outage?: string }) };
  const log = createLog({ name: 'test', level: 'info', outages, to });
  const { query, ask = async () => ({}) } = parts;
  const connection = { withDeadline: async (_at: number, act: () => Promise<unknown>) => act() };
  const temporal = { connection, workflowService: { getSystemInfo: ask } };
  const context = { database: query === undefined ? database : { system: { query } }, temporal, log };
  await checkReadiness(context as never).catch(() => undefined);
  for (const outage of outages) outage.close();
  return lines.map(({ outage }) => outage);
}

const never = async () => new Promise<never>(() => undefined);
const refusing = async () => {
  throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
};
const unavailable = async () => {
  throw Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
};

test.each([
  ['nothing when all parts answer', {}, []],
  ['the database when it refuses connections', { query: refusing }, ['the database']],
  ['the database when it does not answer', { query: never }, ['the database']],
  ['Temporal when it is unavailable', { ask: unavailable }, ['Temporal']],
  ['Temporal when it does not answer', { ask: never }, ['Temporal']],
])('a check of the readiness logs an outage of %s', async (_what, parts, outages) => {
  expect(await outagesOf(parts)).toEqual(outages);
});
