import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ChannelFolder } from '../../activities/sandbox/channels.ts';
import { openTestSandbox } from '../support/test-sandbox.ts';

const CHANNELS = new URL('../../activities/sandbox/channels.ts', import.meta.url).href;
/** Says the folder once others can see that it has an owner. */
const OWNER = `import { existsSync } from 'node:fs';
  import { ChannelFolder } from '${CHANNELS}';
  const { path } = new ChannelFolder(undefined);
  setInterval(() => existsSync(path + '/alive') && console.log(path), 20);`;

/** Starts a process that keeps a folder as a sandbox does. */
async function startOwner() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', OWNER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  const folder = data.toString().split('\n', 1)[0] ?? '';
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { folder, child, kill };
}

test('what killed workers leave behind is removed at the next start, and nothing of those that live or stand still', async () => {
  const [dead, alive, still] = [await startOwner(), await startOwner(), await startOwner()];
  const own = new ChannelFolder(undefined);
  const are = () => [dead.folder, alive.folder, still.folder, own.path].map((path) => existsSync(path));
  // Another file of tests that opens a sandbox removes what is dead, too.
  expect(are()).toEqual([true, true, true, true]);
  await dead.kill();
  still.child.kill('SIGSTOP');
  const { close } = await openTestSandbox({ mode: 'off' });
  expect(are()).toEqual([false, true, true, true]);
  own.remove();
  expect(are()).toEqual([false, true, true, false]);
  await Promise.all([alive.kill(), still.kill(), close()]);
  const next = await openTestSandbox({ mode: 'off' });
  expect(are()).toEqual([false, false, false, false]);
  await next.close();
});
