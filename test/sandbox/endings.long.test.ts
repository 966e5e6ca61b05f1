import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { removeTree } from '../../activities/sandbox/channels.ts';
import { countProcesses } from '../support/count-processes.ts';
import { ownSandboxFolders } from '../support/sandbox-folders.ts';
import { sharedServices } from '../support/shared-services.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../support/test-sandbox.ts';
import { stayingProcesses } from '../support/staying-processes.ts';
import { waitUntil } from '../support/wait-until.ts';

/** The children of this process that have ended and were not waited for. */
function countZombies(): number {
  const tasks = readdirSync('/proc/self/task');
  const ids = tasks.flatMap((task) => readIfThere(`/proc/self/task/${task}/children`).split(' '));
  return ids.filter((id) => id !== '' && /^State:\s+Z/m.test(readIfThere(`/proc/${id}/status`))).length;
}

// Processes and threads may end at any moment.
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

describeSandboxed('the processes of a command', () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openTestSandbox();
  });
  afterAll(async () => {
    await box.close();
  });

  test('leave nothing that the service cannot remove', async () => {
    const hostile = [
      'i=0; while [ $i -lt 3000 ] && mkdir deep && cd -P deep; do i=$((i+1)); done; cd /work',
      'mkdir -p closed/in && touch closed/in/file && chmod 000 closed',
      "touch $'\\xff\\xfe' && mkfifo pipe && ln -s / link && ln -s /work loop && cp /bin/true true && chmod 6777 true",
    ];
    for (const command of hostile) await box.bash(command);
    expect(readdirSync(box.folder)).toEqual(expect.arrayContaining(['closed', 'deep', 'link', 'loop', 'pipe', 'true']));
    await removeTree(box.folder);
    expect(existsSync(box.folder)).toBe(false);
    mkdirSync(box.folder);
  });

  test('are gone when the command ends, and with it what it has left in the background', async () => {
    const mark = `mark-${Math.random()}`;
    const { exitCode, stdout } = await box.bash(`(setsid sleep 100 &) ; sh -c ': ${mark}; sleep 100' & echo done`);
    expect([exitCode, stdout.toString()]).toEqual([0, 'done\n']);
    await waitUntil('their end', () => countProcesses(mark) === 0 || undefined);
  });

  test('leave nothing when fifty run at once, half of them with a way to the network', async () => {
    const mark = `mark-${Math.random()}`;
    const busy = await openTestSandbox({ connect: async () => Promise.reject(new Error('closed')) });
    const left = () => ({
      descriptors: readdirSync('/proc/self/fd').length,
      mounts: readFileSync('/proc/self/mounts', 'utf8').split('\n').length,
      sockets: ownSandboxFolders().flatMap((folder) => globSync(join(folder, '[0-9]*.sock'))).length,
      zombies: countZombies(),
    });
    try {
      await busy.bash('true', { network: true });
      const before = left();
      const run = async (index: number) => busy.bash(`: ${mark}; echo ${index}`, { network: index % 2 === 0 });
      const endings = await Promise.all(Array.from({ length: 50 }, async (_, index) => run(index)));
      expect(endings.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 50 }, (_, index) => index));
      await waitUntil('their end', () => countProcesses(mark) === 0 || undefined);
      await waitUntil('what they held to be given back', () => {
        const now = left();
        return (
          (now.descriptors <= before.descriptors &&
            isDeepStrictEqual({ ...now, descriptors: 0 }, { ...before, descriptors: 0 })) ||
          undefined
        );
      });
    } finally {
      await busy.close();
    }
  });

  test('are gone when the service is killed', async () => {
    const mark = `mark-${Math.random()}`;
    const { bwrap } = sharedServices();
    const given = JSON.stringify('path' in bwrap ? bwrap.path : '');
    const program = `
      import { Sandbox } from ${JSON.stringify(fileURLToPath(new URL('../../activities/sandbox/sandbox.ts', import.meta.url)))};
      const payers = { of: async (orgId) => ({ ownerId: orgId, orgId }) };
      const limits = { memory: 3e8, processes: 64, temporary: 1e7 };
      const sandbox = await Sandbox.open({ mode: 'auto', bwrap: ${given}, uid: 61111, concurrency: 2, payers, limits }, (state) => console.log(JSON.stringify(state)));
      const folder = { path: ${JSON.stringify(box.folder)}, access: 'write' };
      const command = ['/bin/bash', '-c', ${JSON.stringify(stayingProcesses(mark))}];
      await sandbox.run({ command, folder, timeoutMs: 60_000 }, { orgId: 'org', signal: new AbortController().signal });`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await waitUntil('its processes', () => countProcesses(mark) >= 4 || undefined);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await waitUntil('their end', () => countProcesses(mark) === 0 || undefined);
  });
});
