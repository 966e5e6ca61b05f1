import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../test/support/free-port.ts';
import { sharedServices } from '../../../test/support/shared-services.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { readDynamicConfig, startTemporal, temporalDynamicConfig } from './start-temporal.ts';

describe('start temporal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'everturn-temporal-'));
  const runs = join(folder, 'runs');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Makes a server that panics in its first `panics` starts, as the real one does when a port of it is taken. */
  function serverThatPanics(panics: number): string {
    const binary = join(folder, `panics-${panics}.sh`);
    writeFileSync(
      binary,
      `#!/bin/sh
echo start >> ${runs}
if [ "$(wc -l < ${runs})" -le ${panics} ]; then
  printf 'panic: listen tcp 127.0.0.1:1: bind: address already in use\\n\\ngoroutine 1 [running]:\\nmain.go:18 +0x8e\\n' >&2
  exit 2
fi
exec ${sharedServices().temporalBinary} "$@"
`,
    );
    chmodSync(binary, 0o755);
    rmSync(runs, { force: true });
    return binary;
  }

  const startsOf = () => readFileSync(runs, 'utf8').trim().split('\n').length;

  async function start(binary: string, uiPort?: number) {
    const dbFile = join(folder, 'temporal.db');
    return startTemporal({ binary, dbFile, port: await freePort(), uiPort, log: () => undefined });
  }

  test('a server serves its UI where a port is given for it', async () => {
    const uiPort = await freePort();
    const temporal = await start(sharedServices().temporalBinary, uiPort);
    try {
      const page = await waitUntil('the UI', async () => fetch(`http://127.0.0.1:${uiPort}/`).catch(() => undefined));
      expect(page.headers.get('content-type')).toContain('text/html');
    } finally {
      await temporal.stop();
    }
  });

  test('a server that ends by itself while it starts is started once more', async () => {
    const temporal = await start(serverThatPanics(1));
    try {
      expect(startsOf()).toBe(2);
      expect(existsSync(join(folder, 'temporal.db'))).toBe(true);
    } finally {
      await temporal.stop();
    }
  });

  test('one that ends again is not, and the error says why', async () => {
    await expect(start(serverThatPanics(5))).rejects.toThrow(
      'it ended with exit code 2: panic: listen tcp 127.0.0.1:1: bind: address already in use',
    );
    expect(startsOf()).toBe(2);
  });
});

describe('temporal dynamic config', () => {
  describe('the dynamic configuration of Temporal', () => {
    test('lets queue processors poll faster than every 50 ms', () => {
      expect(temporalDynamicConfig()).toMatchObject({
        'history.transferProcessorMaxPollRPS': '2000',
        'history.timerProcessorMaxPollRPS': '2000',
      });
    });

    test('bounds the workflows that the server keeps in memory', () => {
      const config = temporalDynamicConfig();
      expect(config).toMatchObject({ 'history.hostLevelCacheMaxSize': '1600', 'history.cacheTTL': '"3m"' });
      expect(JSON.parse(config['history.cacheBackgroundEvict'] ?? '{}')).toMatchObject({ Enabled: true });
    });

    test('bounds the schedules that the server keeps in memory, and has it create nothing beside them', () => {
      expect(temporalDynamicConfig()).toMatchObject({
        'worker.stickyCacheSize': '100',
        'history.enableCHASMSchedulerSentinels': 'false',
      });
    });

    test('is refused when a key has anything but one plain value', () => {
      expect(() => readDynamicConfig('some.key:\n  - value: 1\n    constraints: {}\n')).toThrow(
        'Not a key followed by one value',
      );
    });
  });
});
