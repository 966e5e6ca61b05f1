import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { removeTree } from '../../activities/sandbox/index.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../support/test-sandbox.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Processes that stay by every means there is. */
const STAYING = (mark: string) =>
  `trap "" TERM INT HUP; export MARK=${mark}; (setsid sh -c 'trap "" TERM; : ${mark}; sleep 100; :' &) ; nohup sh -c ': ${mark}; sleep 100; :' > /dev/null 2>&1 & echo begun; sh -c ': ${mark}; sleep 100; :'`;

function countOf(mark: string): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isMarked(name, mark)).length;
}

function isMarked(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
  } catch {
    return false;
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

  test('are gone at once when the call is interrupted', async () => {
    const [mark, stop] = [`mark-${Math.random()}`, new AbortController()];
    const running = box.bash(STAYING(mark), { signal: stop.signal });
    await waitUntil('its processes', () => countOf(mark) >= 4 || undefined);
    const begin = performance.now();
    stop.abort(new Error('interrupted'));
    await expect(running).rejects.toThrow('interrupted');
    await waitUntil('their end', () => countOf(mark) === 0 || undefined);
    const tookMs = performance.now() - begin;
    expect(tookMs).toBeLessThan(200);
    process.stdout.write(`sandbox: interrupted, nothing left after ${tookMs.toFixed(0)} ms\n`);
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
    await waitUntil('their end', () => countOf(mark) === 0 || undefined);
  });

  test('are gone when the service is killed', async () => {
    const mark = `mark-${Math.random()}`;
    const program = `
      import { Sandbox } from ${JSON.stringify(fileURLToPath(new URL('../../activities/sandbox/index.ts', import.meta.url)))};
      const limits = { memory: 3e8, processes: 64, temporary: 1e7 };
      const sandbox = await Sandbox.open({ mode: 'auto', uid: 61111, concurrency: 2, limits }, (state) => console.log(JSON.stringify(state)));
      const folder = { path: ${JSON.stringify(box.folder)}, access: 'write' };
      const command = ['/bin/bash', '-c', ${JSON.stringify(STAYING(mark))}];
      await sandbox.run({ command, folder, timeoutMs: 60_000 }, { orgId: 'org', signal: new AbortController().signal });`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await waitUntil('its processes', () => countOf(mark) >= 4 || undefined);
    const begin = performance.now();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await waitUntil('their end', () => countOf(mark) === 0 || undefined);
    const tookMs = performance.now() - begin;
    expect(tookMs).toBeLessThan(1_000);
    process.stdout.write(`sandbox: service killed, nothing left after ${tookMs.toFixed(0)} ms\n`);
  });
});
