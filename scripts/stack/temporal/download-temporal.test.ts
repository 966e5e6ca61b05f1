import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pinnedTemporalVersions } from './temporal-versions.ts';
import { downloadTemporal, releaseArchive, releaseChecksum } from './download-temporal.ts';

test.each([
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'x64'],
  ['darwin', 'arm64'],
])('the archive for %s on %s has a known SHA-256', (platform, arch) => {
  const url = releaseArchive(pinnedTemporalVersions().cli, platform, arch) ?? '';
  expect(releaseChecksum(url)).toMatch(/^[0-9a-f]{64}$/);
});

test('an archive of another version has none', () => {
  expect(releaseChecksum(releaseArchive('1.9.0', 'linux', 'x64') ?? '')).toBeUndefined();
});

describe('a download', () => {
  let folder: string;
  let server: Server;
  let archive: Buffer;
  let url: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'everturn-download-'));
    writeFileSync(join(folder, 'temporal'), '#!/bin/sh');
    execFileSync('tar', ['-czf', join(folder, 'served.tar.gz'), '-C', folder, 'temporal']);
    archive = readFileSync(join(folder, 'served.tar.gz'));
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    server = createServer((_, response) => response.end(archive)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/temporal.tar.gz`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const download = async (sha256: string | undefined) => downloadTemporal({ url, sha256, folder, say: () => {} });

  test('is unpacked when it is what was published', async () => {
    expect(await download(createHash('sha256').update(archive).digest('hex'))).toBeUndefined();
    expect(readdirSync(folder)).toEqual(['temporal']);
  });

  test('is thrown away, and that is said, when it is anything else', async () => {
    expect(await download('0'.repeat(64))).toMatch(
      /^what came is not that release: its SHA-256 is [0-9a-f]{64}, not 0{64}$/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is not tried when nobody knows its SHA-256', async () => {
    expect(await download(undefined)).toBe('its SHA-256 is not in scripts/temporal-cli/checksums.txt');
    expect(readdirSync(folder)).toEqual([]);
  });
});
