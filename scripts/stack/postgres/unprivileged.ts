import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { StartFailure } from '../core/start-failure.ts';

/** A way of running a command as somebody other than root. */
export type RunAs = {
  /** The required owner of the files that the command writes; undefined when nothing has to change hands. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** Returns the command to spawn instead of the given one. */
  wrap(
    command: string,
    args: readonly string[],
  ): { command: string; args: readonly string[]; uid?: number; gid?: number };
};

/**
 * Chooses a way to run PostgreSQL, which refuses to run as root, although root often starts things in containers. The
 * first that works: another user; when that user cannot reach the program or the folder (a checkout below /root), root
 * under another name in a namespace of its own, without any of root's powers; otherwise another user with the single
 * power of passing through folders.
 * @param program an executable that has to be reachable and that responds to --version
 * @param folder where it will write
 */
export function chooseRunAs(program: string, folder: string): RunAs {
  if (process.getuid?.() !== 0) return { owner: undefined, wrap: (command, args) => ({ command, args }) };
  const user = findUser('postgres') ?? findUser('nobody') ?? { uid: 65534, gid: 65534 };
  const ways: RunAs[] = [
    { owner: user, wrap: (command, args) => ({ command, args, ...user }) },
    {
      owner: { uid: 0, gid: 0 },
      wrap: (command, args) => ({
        command: 'unshare',
        args: ['--user', `--map-user=${user.uid}`, '--', command, ...args],
      }),
    },
    {
      owner: user,
      wrap: (command, args) => ({
        command: 'setpriv',
        args: [
          // Without this bit access(2) would ignore the capability, and initdb would not find its own folder.
          '--securebits=+no_setuid_fixup',
          `--reuid=${user.uid}`,
          `--regid=${user.gid}`,
          '--clear-groups',
          '--inh-caps=-all,+dac_read_search',
          '--ambient-caps=+dac_read_search',
          '--',
          command,
          ...args,
        ],
      }),
    },
  ];
  const way = ways.find((candidate) => works(candidate, program, folder));
  if (way === undefined) {
    throw new StartFailure(
      `PostgreSQL does not run as root, and no other user of this machine can reach ${folder} and ${program}: ` +
        'start Everturn as an ordinary user, or set DATABASE_URL to a running PostgreSQL.',
    );
  }
  return way;
}

function works(way: RunAs, program: string, folder: string): boolean {
  let probe: string | undefined;
  try {
    probe = mkdtempSync(join(folder, 'trial-'));
    if (way.owner !== undefined) chownSync(probe, way.owner.uid, way.owner.gid);
    const script = 'test "$(id -u)" != 0 && cd "$1" && : > file && test -x "$2" && "$2" --version > file';
    const { command, args, ...ids } = way.wrap('/bin/sh', ['-c', script, 'sh', probe, program]);
    return spawnSync(command, args, { ...ids, cwd: '/', stdio: 'ignore' }).status === 0;
  } catch {
    return false;
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true, force: true });
  }
}

function findUser(name: string): { uid: number; gid: number } | undefined {
  const ids = ['-u', '-g'].map((flag) =>
    Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout ?? '', 10),
  );
  const [uid, gid] = ids;
  if (uid === undefined || gid === undefined || Number.isNaN(uid) || Number.isNaN(gid)) return undefined;
  return { uid, gid };
}
