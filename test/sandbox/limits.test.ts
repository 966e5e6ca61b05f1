import { existsSync, readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
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

  const ended: [string, string, Partial<SandboxEnding>, number][] = [
    ['endless output', 'yes', { killedFor: 'output' }, 8_000],
    ['endless errors, byte by byte', 'while :; do printf x >&2; done', { killedFor: 'time' }, 8_000],
    ['2 GB of heap', `python3 -c "x = bytearray(2000 * 1024 * 1024)"`, { killedFor: 'memory' }, 8_000],
    [
      'many heaps',
      `for i in $(seq 20); do perl -e '$x = "a" x 30_000_000; sleep 9' & done; wait`,
      { killedFor: 'memory' },
      8_000,
    ],
    [
      'shared memory',
      `python3 -c "
import mmap, time
m = mmap.mmap(-1, 1 << 30)
for i in range(0, 1 << 30, 4096): m[i] = 1
time.sleep(9)"`,
      { killedFor: 'memory' },
      8_000,
    ],
    ['time', 'trap "" TERM INT HUP; setsid sleep 100 & sleep 100', { killedFor: 'time' }, 8_000],
    [
      'files',
      'for i in $(seq 300); do mkdir $i; (cd $i; touch $(seq 400)); done; sleep 9',
      { killedFor: 'space' },
      14_000,
    ],
    ['space', 'for i in 1 2 3; do head -c 90000000 /dev/zero > zero$i; done; sleep 9', { killedFor: 'space' }, 8_000],
  ];
  test.each(ended)('of %s is ended', async (what, script, ending, withinMs) => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const {
      stdout: _,
      stderr: __,
      ...told
    } = await box.bash(script, {
      // A busy machine may take seconds to make so many files: what ends the command is to be its own limit.
      timeoutMs: ending.killedFor === 'time' ? 3_000 : 15_000,
      space: { bytes: 200 * MB, names: 10_000 },
    });
    delay.disable();
    await box.bash('rm -rf ./*');
    expect(told).toMatchObject(ending);
    expect(told.durationMs).toBeLessThan(withinMs);
    process.stdout.write(
      `sandbox: ${what}: ${told.killedFor ?? `exit ${told.exitCode}`} after ${told.durationMs} ms, event loop at most ${Math.round(delay.max / 1e6)} ms late\n`,
    );
  });

  test.each([
    ['processes', ':(){ :|:& };:; sleep 0.5; ls -d /proc/[0-9]* | wc -l', (seen: number) => seen <= 70],
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
  ])('is bounded in %s', async (what, script, isBounded) => {
    const { stdout, durationMs } = await box.bash(script);
    await box.bash('rm -rf ./*');
    const seen = Number(stdout.toString().trim().split('\n').at(-1));
    expect([seen, isBounded(seen)]).toEqual([expect.any(Number), true]);
    process.stdout.write(`sandbox: ${what}: ${seen} after ${durationMs} ms\n`);
  });

  test('starts in a few milliseconds, and fifty at once leave nothing', async () => {
    const times: number[] = [];
    for (let run = 0; run < 30; run += 1) {
      const begin = performance.now();
      await box.bash('true');
      times.push(performance.now() - begin);
    }
    const median = times.toSorted((a, b) => a - b)[15] ?? Number.NaN;
    process.stdout.write(
      `sandbox: start p50 ${median.toFixed(1)} ms (${process.getuid?.() === 0 ? 'as root' : 'plain user'})\n`,
    );
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
