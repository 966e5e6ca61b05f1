import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { serveTestDatabase } from '../test/support/serve-test-database.ts';
import { agreeOnWorkflows, readLacking, reportWorker } from './workers.ts';

const database = serveTestDatabase();
beforeEach(async () => {
  await database.system.query('delete from workers');
});

const idle = async (seconds: number) =>
  database.system.query('update workers set seen_at = now() - make_interval(secs => $1)', [seconds]);

test('without a worker nothing can be counted on', async () => {
  expect(await readLacking(database, ['sandbox'])).toEqual({ sandbox: 'no worker is running' });
});

test('what one worker lacks cannot be counted on, until it has it or is gone', async () => {
  const id = randomUUID();
  await reportWorker(database, randomUUID(), { lacks: {}, workspaceFreeBytes: null });
  await reportWorker(database, id, { lacks: { sandbox: 'bubblewrap is missing' }, workspaceFreeBytes: null });
  expect(await readLacking(database, ['sandbox'])).toEqual({ sandbox: 'bubblewrap is missing' });
  await reportWorker(database, id, { lacks: {}, workspaceFreeBytes: null });
  expect(await readLacking(database, ['sandbox'])).toEqual({});
  await reportWorker(database, id, { lacks: { sandbox: 'bubblewrap is missing' }, workspaceFreeBytes: null });
  await idle(61);
  await reportWorker(database, randomUUID(), { lacks: {}, workspaceFreeBytes: null });
  expect(await readLacking(database, ['sandbox'])).toEqual({});
});

test('workers that are gone are forgotten', async () => {
  await reportWorker(database, randomUUID(), { lacks: {}, workspaceFreeBytes: null });
  await idle(61);
  expect(await readLacking(database, ['sandbox'])).toEqual({ sandbox: 'no worker is running' });
  const id = randomUUID();
  await reportWorker(database, id, { lacks: {}, workspaceFreeBytes: null });
  const { rows } = await database.system.query('select id from workers');
  expect(rows).toEqual([{ id }]);
});

test('workers agree on their workflow code when all that run have reported the same', async () => {
  const [id, other] = [randomUUID(), randomUUID()];
  for (const each of [id, other]) await reportWorker(database, each, { lacks: {}, workspaceFreeBytes: null });
  expect(await agreeOnWorkflows(database, id, 'new')).toBe(false);
  expect(await agreeOnWorkflows(database, other, 'old')).toBe(false);
  expect(await agreeOnWorkflows(database, other, 'new')).toBe(true);
  expect(await agreeOnWorkflows(database, id, 'newer')).toBe(false);
  await idle(61);
  expect(await agreeOnWorkflows(database, id, 'newer')).toBe(true);
});
