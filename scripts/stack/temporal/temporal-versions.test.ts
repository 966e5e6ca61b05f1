import { describe, expect, test } from '@jest/globals';
import { releaseArchive } from './download-temporal.ts';
import { isAtLeast, pinnedTemporalVersions } from './temporal-versions.ts';

describe('the Temporal command', () => {
  test('has the versions that go.mod pins', () => {
    expect(pinnedTemporalVersions()).toEqual({
      cli: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      server: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      go: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  test('has no release to download when the platform is unknown', () => {
    expect(releaseArchive('1.9.1', 'sunos', 'x64')).toBeUndefined();
    expect(releaseArchive('1.9.1', 'linux', 'arm64')).toContain('temporal_cli_1.9.1_linux_arm64.tar.gz');
  });

  test.each([
    ['1.32.0', '1.31.0', true],
    ['1.31.0', '1.31.0', true],
    ['1.9.0', '1.31.0', false],
    ['1.26', '1.26.8', false],
  ])('%s counts as at least %s: %s', (version, least, expected) => {
    expect(isAtLeast(version, least)).toBe(expected);
  });
});
