import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program to start, and as whom. */
export interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** The files of the machine that a command reaches, beside the system. */
export interface Reached {
  readonly folder: string | undefined;
  /** The Node of the service. */
  readonly node: string | undefined;
  readonly library: string | undefined;
}

/**
 * Runs as root: gives the folder and what root has written there to the user, shows it, Node and a library at paths
 * that the user can reach, in a namespace that ends with the command, and becomes the user. Other commands and file
 * tools may remove files of the folder in the meantime: that is no fault, and the files after them are assigned in
 * another round.
 */
const AS_USER = `
give() {
  for round in 1 2 3 4 5; do
    faults=$(LC_ALL=C chown -Rh --from=0 "$1:$1" -- "$2" 2>&1) && return
    others=$(printf '%s\\n' "$faults" | grep -vE ': (No such file or directory|Not a directory)$')
    if test -n "$others"; then printf '%s\\n' "$others" >&2; return 1; fi
  done
}
if test -n "$2"; then give "$1" "$2" && mount --bind -- "$2" "$3" || exit 1; fi
if test -n "$4"; then mount --bind -- "$4" "$5" || exit 1; fi
if test -n "$6"; then mount --bind -- "$6" "$7" || exit 1; fi
user=$1
shift 7
exec setpriv --reuid "$user" --regid "$user" --clear-groups -- "$@"`;

/** The user whom commands run as. */
export class Identity {
  /** The user's id; undefined for the service's own user. */
  readonly uid: number | undefined;
  readonly #shown: { readonly folder: string; readonly node: string; readonly library: string };

  constructor(uid: number | undefined, base: string) {
    this.uid = uid;
    this.#shown = { folder: join(base, 'work'), node: join(base, 'node'), library: join(base, 'library') };
    if (uid === undefined) return;
    mkdirSync(this.#shown.folder, { recursive: true, mode: 0o700 });
    mkdirSync(this.#shown.library, { recursive: true, mode: 0o700 });
    writeFileSync(this.#shown.node, '');
  }

  /** Returns the path at which the user finds the folder, Node or the library. */
  pathOf(path: string, what: keyof Reached): string {
    return this.uid === undefined ? path : this.#shown[what];
  }

  /** Returns what to start so that the program runs as this user, and reaches what it needs. */
  start(program: string, args: readonly string[], { folder = '', node = '', library = '' }: Reached): Started {
    if (this.uid === undefined) return { program, args };
    if (folder === '' && node === '' && library === '') return { program, args, uid: this.uid, gid: this.uid };
    const shown = this.#shown;
    const mounts = [String(this.uid), folder, shown.folder, node, shown.node, library, shown.library];
    return {
      program: 'unshare',
      args: ['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', AS_USER, 'sh', ...mounts, program, ...args],
    };
  }
}
