import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SandboxEnding } from '../../activities/sandbox/launch.ts';
import { ownSandboxFolders } from '../support/sandbox-folders.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../support/test-sandbox.ts';

const MB = 1024 * 1024;

describeSandboxed('a command that takes too much', () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openTestSandbox();
  });
  afterAll(async () => {
    await box.close();
  });

  const ended: [string, string, SandboxEnding['killedFor']][] = [
    ['endless errors, byte by byte', 'while :; do printf x >&2; done', 'time'],
    ['many heaps', `for i in $(seq 20); do perl -e '$x = "a" x 30_000_000; sleep 100' & done; wait`, 'memory'],
    [
      'shared memory',
      `python3 -c "
import mmap, time
m = mmap.mmap(-1, 1 << 30)
for i in range(0, 1 << 30, 4096): m[i] = 1
time.sleep(100)"`,
      'memory',
    ],
    ['files', 'for i in $(seq 300); do mkdir $i; (cd $i; touch $(seq 400)); done; sleep 100', 'space'],
    ['space', 'for i in 1 2 3; do head -c 90000000 /dev/zero > zero$i; done; sleep 100', 'space'],
  ];
  test.each(ended)('of %s is ended', async (_what, script, killedFor) => {
    const ending = await box.bash(script, {
      // A busy machine may take long to make so many files: what ends the command is to be its own limit.
      timeoutMs: killedFor === 'time' ? 3_000 : 90_000,
      space: { bytes: 200 * MB, names: 10_000 },
    });
    await box.bash('rm -rf ./*');
    expect(ending.killedFor).toBe(killedFor);
  });

  test.each([
    ['a file of 10 GB', 'head -c 10G /dev/zero > big; stat -c %s big', (seen: number) => seen <= 100 * MB],
    ['the temporary folder', 'head -c 1G /dev/zero > /tmp/big; stat -c %s /tmp/big', (seen: number) => seen <= 64 * MB],
    [
      'shared memory files',
      'head -c 1G /dev/zero > /dev/shm/big; stat -c %s /dev/shm/big',
      (seen: number) => seen <= 64 * MB,
    ],
    ['descriptors', 'ulimit -n', (seen: number) => seen <= 1024],
    [
      'memory files',
      `perl -e '$fd = syscall(319, $n = "m", 0); open(F, ">&=", $fd); $SIG{XFSZ} = "IGNORE"; for (1..300) { $s += syswrite(F, "a" x 1048576) || 0 } print $s'`,
      (seen: number) => seen <= 100 * MB,
    ],
  ])('is bounded in %s', async (_what, script, isBounded) => {
    const { stdout } = await box.bash(script);
    await box.bash('rm -rf ./*');
    const seen = Number(stdout.toString().trim().split('\n').at(-1));
    expect([seen, isBounded(seen)]).toEqual([expect.any(Number), true]);
  });

  test('leaves nothing when fifty run at once', async () => {
    const codes = await Promise.all(Array.from({ length: 50 }, async () => (await box.bash('sleep 0.05')).exitCode));
    expect(codes).toEqual(Array.from({ length: 50 }, () => 0));
    const open = readdirSync('/proc/self/fd').length;
    await Promise.all(Array.from({ length: 8 }, async () => box.bash('true')));
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(open);
    const folders = ownSandboxFolders();
    expect(folders).toHaveLength(1);
    await box.close();
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
    box = await openTestSandbox();
  });
});
