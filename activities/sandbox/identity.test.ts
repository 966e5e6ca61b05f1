import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { removeTree } from './channels.ts';
import { Identity } from './identity.ts';

const UID = 61_111;
const isRoot = process.getuid?.() === 0;
const describeAsRoot = isRoot ? describe : describe.skip;

describeAsRoot(`a command of another user${isRoot ? '' : ' (skipped: only root becomes another user)'}`, () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'everturn-identity-'));
    mkdirSync(join(home, 'folder'));
    mkdirSync(join(home, 'programs'));
    writeFileSync(join(home, 'folder', 'file'), '');
  });
  afterEach(async () => removeTree(home));

  /** Starts a command while `chown` says something once. */
  function startWhile(fault: string) {
    const once = `test -e ${home}/said && exec /bin/chown "$@"\ntouch ${home}/said\necho "chown: ${fault}" >&2\nexit 1\n`;
    writeFileSync(join(home, 'programs', 'chown'), `#!/bin/sh\n${once}`);
    chmodSync(join(home, 'programs', 'chown'), 0o755);
    const identity = new Identity(UID, join(home, 'shown'));
    const { program, args } = identity.start('/bin/true', [], {
      folder: join(home, 'folder'),
      node: undefined,
      library: undefined,
    });
    const env = { PATH: `${join(home, 'programs')}:/usr/sbin:/usr/bin:/sbin:/bin` };
    const { status, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
    expect(existsSync(join(home, 'said'))).toBe(true);
    return { status, stderr, owner: statSync(join(home, 'folder', 'file')).uid };
  }

  test.each(["cannot access 'busy/draft': No such file or directory", "cannot read directory 'link': Not a directory"])(
    'starts although another one removes files meanwhile (%s)',
    (fault) => {
      expect(startWhile(fault)).toEqual({ status: 0, stderr: '', owner: UID });
    },
  );

  test('does not start where it cannot be given its folder', () => {
    const fault = "changing ownership of 'file': Operation not permitted";
    expect(startWhile(fault)).toEqual({ status: 1, stderr: `chown: ${fault}\n`, owner: 0 });
  });
});
