import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SandboxUnavailable } from '../../activities/sandbox/sandbox.ts';
import { sharedServices } from '../support/shared-services.ts';
import { describeSandboxed, openTestSandbox } from '../support/test-sandbox.ts';

describeSandboxed('without isolation nothing runs', () => {
  let folder: string;
  let bwrap: string;
  beforeEach(() => {
    const services = sharedServices();
    folder = mkdtempSync(join(tmpdir(), 'everturn-bwrap-'));
    chmodSync(folder, 0o755);
    bwrap = join(folder, 'bwrap');
    if ('path' in services.bwrap) copyFileSync(services.bwrap.path, bwrap);
    chmodSync(bwrap, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const script = (text: string) => (path: string) => {
    // A new file: a program that runs cannot be written to.
    rmSync(path, { force: true });
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    chmodSync(path, 0o755);
  };
  /** Runs what comes behind the arguments of bubblewrap, unconfined. */
  const unconfined = 'while [ "$1" != -- ]; do shift; done; shift; cat <&3 > /dev/null; ';

  const broken: [string, (path: string) => void, RegExp][] = [
    ['is removed', (path) => rmSync(path), /is not there or cannot be run; install bubblewrap/],
    ['does nothing', script('exit 0'), /is not bubblewrap 0\.8 or later/],
    ['is an old version', script('echo bubblewrap 0.7.0'), /is not bubblewrap 0\.8 or later/],
    ['pretends', script('[ "$1" = --version ] && echo bubblewrap 0.8.0; exit 0'), /did not begin/],
    [
      'does not confine',
      script(`[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit; ${unconfined} "$@"; echo '{"exit-code": 0}' >&4`),
      /share a namespace|run as root/,
    ],
    ['runs as root', (path) => chmodSync(path, 0o4755), /runs as root \(setuid\)/],
  ];
  test.each(broken)('when bubblewrap %s', async (what, breakIt, reason) => {
    if (what === 'runs as root' && process.getuid?.() !== 0) return;
    // From the start.
    const whole = await openTestSandbox({ bwrap });
    breakIt(bwrap);
    const never = await openTestSandbox({ bwrap });
    try {
      expect(whole.states).toEqual([{ isAvailable: true }]);
      expect(never.states).toEqual([{ isAvailable: false, reason: expect.stringMatching(reason) }]);
      // And while it runs.
      const marker = join(whole.folder, 'ran');
      for (const box of [whole, never]) {
        const refusal = await box.bash(`touch ran ${marker}`).catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(SandboxUnavailable);
        expect(String(refusal)).toMatch(reason);
        expect(await ranIn(box.folder)).toBe(false);
      }
      expect(whole.states.at(-1)).toMatchObject({ isAvailable: false });
    } finally {
      await whole.close();
      await never.close();
    }
  });

  test('when the operator has turned it off', async () => {
    const box = await openTestSandbox({ mode: 'off' });
    await expect(box.bash('true')).rejects.toThrow('the operator has turned it off');
    await box.close();
  });

  test('resumes when bubblewrap was replaced by a good one', async () => {
    const box = await openTestSandbox({ bwrap });
    const copy = join(folder, 'copy');
    copyFileSync(bwrap, copy);
    rmSync(bwrap);
    copyFileSync(copy, bwrap);
    chmodSync(bwrap, 0o755);
    expect((await box.bash('true')).exitCode).toBe(0);
    await box.close();
  });
});

async function ranIn(folder: string): Promise<boolean> {
  const { existsSync } = await import('node:fs');
  return existsSync(join(folder, 'ran'));
}
