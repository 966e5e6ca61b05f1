import { expect, test } from '@jest/globals';
import { serveTestDatabase } from '../../../test/support/serve-test-database.ts';
import { Machine } from '../../../test/turn-machine/machine.ts';

const database = serveTestDatabase({ poolSize: 4 });

/** Begins a turn with one call, whose worker dies before or after the call has taken effect. */
async function loseCall(effect: 'read' | 'keyed', fate: 'lost before' | 'lost after') {
  const machine = await Machine.create(database);
  await machine.send('question', 'client');
  const [callId = ''] = await machine.step([{ effect, asks: false }], false);
  await machine.attempt(callId, fate);
  const read = async () => (await machine.rows()).calls[0];
  return { machine, callId, read };
}

test.each([
  ['keyed', 'unknown'],
  ['read', 'error'],
] as const)('a repeated call that is refused says what is known of it: %s', async (effect, status) => {
  const { machine, callId, read } = await loseCall(effect, 'lost after');
  await machine.attempt(callId, 'refused');
  expect(await read()).toMatchObject({ status });
  expect((await read())?.result?.includes('may or may not have taken effect')).toBe(effect === 'keyed');
  await machine.close();
});

test('a repeated call that is asked to wait may still have been made when its turn is stopped', async () => {
  const { machine, callId, read } = await loseCall('keyed', 'lost after');
  await machine.attempt(callId, 'busy');
  await machine.stop(false);
  await machine.step('text', false);
  expect(await read()).toMatchObject({ status: 'unknown' });
  await machine.close();
});
