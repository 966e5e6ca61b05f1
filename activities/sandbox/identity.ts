import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A program to start, and as whom. */
export interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Runs as root: gives the folder and what root has written there to the user, shows it at a path that the user can
 * reach, in a namespace that ends with the command, and becomes the user.
 */
const AS_USER = `
chown -Rh --from=0 "$1:$1" -- "$2" && mount --bind -- "$2" "$3" || exit 1
user=$1
shift 3
exec setpriv --reuid "$user" --regid "$user" --clear-groups -- "$@"`;

/** The user whom commands run as. */
export class Identity {
  /** The user's id; undefined for the service's own user. */
  readonly uid: number | undefined;
  readonly #mountPoint: string;

  constructor(uid: number | undefined, folder: string) {
    this.uid = uid;
    this.#mountPoint = join(folder, 'work');
    if (uid !== undefined) mkdirSync(this.#mountPoint, { recursive: true, mode: 0o700 });
  }

  /** Returns the path at which the user finds a folder. */
  pathOf(folder: string): string {
    return this.uid === undefined ? folder : this.#mountPoint;
  }

  /** Returns what to start so that the program runs as this user, and reaches the folder. */
  start(program: string, args: readonly string[], folder: string | undefined): Started {
    if (this.uid === undefined) return { program, args };
    if (folder === undefined) return { program, args, uid: this.uid, gid: this.uid };
    const place = [String(this.uid), folder, this.#mountPoint];
    return {
      program: 'unshare',
      args: ['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', AS_USER, 'sh', ...place, program, ...args],
    };
  }
}
