import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readRemoteAddress, type RemoteAddress } from '../../../../domain/git-remotes.ts';
import type { CommandEnding, GitRemote, ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { folderPath } from '../../workspace/workspace-path.ts';
import { whyEnded } from '../shell/shown-output.ts';

/** A command of git in a folder of the workspace. */
interface GitCommand {
  /** The folder of the workspace; the workspace itself unless given. */
  readonly cwd: string | undefined;
  /** The arguments of `git`. */
  readonly args: readonly string[];
  /** Whether it only reads: the workspace cannot be changed then. */
  readonly isRead: boolean;
  /** The repository of another server that it reaches; nothing unless given. */
  readonly remote?: GitRemote;
  /** Whether the folder need not be that of a repository: a script then calls `open_repository` where it is. */
  readonly isOutside?: boolean;
}

/** A script in which `git` is the command of `GitCommand`; its arguments are those of the script. */
interface GitScript extends GitCommand {
  readonly script: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** How long a command takes at most, in seconds: one that works on files only, and one that waits for a server. */
const TIMEOUT_S = 60;
const REMOTE_TIMEOUT_S = 300;
const MAX_MESSAGE = 1_000;

/**
 * Said before every command. A repository may come from anywhere, and be written to between the check of its settings
 * and the command: what they name as programs does not start then either.
 */
const SETTINGS = settings([
  'safe.directory=*',
  'safe.bareRepository=explicit',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=true',
  'core.commitGraph=false',
  'core.pager=cat',
  'gpg.program=false',
  'gpg.openpgp.program=false',
  'gpg.x509.program=false',
  'gpg.ssh.program=false',
  'gpg.ssh.defaultKeyCommand=false',
  'log.showSignature=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'interactive.diffFilter=cat',
  'color.ui=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  'advice.graftFileDeprecated=false',
  'diff.submodule=short',
  'status.submoduleSummary=false',
  'submodule.recurse=false',
]);

/**
 * Said before commands that reach a repository of another server, by the gateway that git takes for it: no other
 * repository, and no program that might know a password.
 */
const REMOTE_SETTINGS = settings([
  'http.followRedirects=false',
  'credential.helper=',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'push.followTags=false',
  'push.gpgSign=false',
]);

const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CEILING_DIRECTORIES: '/work',
  GIT_ASKPASS: '',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  TZ: 'UTC',
};

/** Runs git, and throws a `ToolFailure` with what git says when it fails. */
export async function runGit({ args, ...options }: GitCommand, context: ToolContext): Promise<CommandEnding> {
  return runGitScript({ ...options, args, script: 'git "$@"' }, context);
}

/** Runs a script, and throws a `ToolFailure` with what git says when it fails. */
export async function runGitScript(
  { cwd = '.', args, isRead, script, environment, stdin, remote, isOutside = false }: GitScript,
  context: ToolContext,
): Promise<CommandEnding> {
  const folder = folderPath(cwd).join('/') || '.';
  if (args.some((arg) => arg.includes('\0')))
    throw new ToolFailure('invalid_input', 'Arguments cannot contain a NUL character');
  const seconds = remote === undefined ? TIMEOUT_S : REMOTE_TIMEOUT_S;
  const said = remote === undefined ? SETTINGS : [...SETTINGS, ...REMOTE_SETTINGS];
  const program = programOf(isOutside ? script : `open_repository\n${script}`, said);
  const ending = await context.runCommand({
    command: ['/bin/sh', '-c', program, 'sh', folder, ...args],
    workspace: isRead ? 'read' : 'write',
    environment: { ...ENVIRONMENT, GIT_ALLOW_PROTOCOL: remote === undefined ? 'none' : 'http', ...environment },
    stdin,
    remote,
    timeoutMs: seconds * 1_000,
  });
  if (ending.exitCode === 0) return ending;
  throw failureOf(ending, seconds);
}

function settings(given: readonly string[]): readonly string[] {
  return given.flatMap((setting) => ['-c', `'${setting}'`]);
}

function programOf(script: string, said: readonly string[]): string {
  return `cd -- "$1" || exit; shift
git() {
  local name="$1"; shift
  case $name in
    blame) set -- --no-textconv "$@";;
    diff | log | show) set -- --no-ext-diff --no-textconv "$@";;
  esac
  command git ${said.join(' ')} "$name" "$@"
}
${OPEN_REPOSITORY}
${script}`;
}

function failureOf(ending: CommandEnding, seconds: number): ToolFailure {
  const { exitCode, killedFor, stderr, stdout, isForeign, refusal } = ending;
  if (killedFor !== undefined) return new ToolFailure('timeout', whyEnded(killedFor, seconds));
  if (refusal !== undefined) return new ToolFailure(refusal.kind, refusal.message, { isForeign });
  const said = (stderr.toString().trim() || stdout.toString().trim()).slice(0, MAX_MESSAGE).toWellFormed();
  const kind = said.includes('not a git repository') ? 'not_found' : 'invalid_input';
  return new ToolFailure(kind, said === '' ? `git ended with the code ${exitCode}` : `git says: ${said}`, {
    isForeign,
  });
}

/**
 * The keys of a repository's settings that name no program and no other repository: what git writes by itself, and
 * common preferences. `core.hooksPath` is among them because it is always overridden.
 */
const HARMLESS = [
  'core.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|hookspath)',
  'core.(abbrev|autocrlf|eol|quotepath|safecrlf|whitespace)',
  'extensions.(objectformat|refstorage)',
  'user.(name|email)',
  'remote.pushdefault',
  'remote..+.(url|pushurl|fetch|prune|tagopt)',
  'branch..+.(remote|merge|rebase|pushremote|description)',
  'advice.[a-z]+',
  'color.ui',
  'diff.(algorithm|renames)',
  'fetch.prune',
  'init.defaultbranch',
  'merge.(conflictstyle|ff|renames)',
  'pull.(ff|rebase)',
  'push.(autosetupremote|default|followtags)',
].map((key) => key.replaceAll(/\.(?!\+)/g, String.raw`\.`));

/**
 * Refuses repositories that lead to another one or have a setting that is not harmless. Git reads the settings as those
 * of any file: it follows nothing in them.
 */
const CHECK = `
refuse() { echo "the repository \${folder#/work/} cannot be used: $1" >&2; exit 1; }
for found; do
  folder=\${found%/.git}
  if test -L "$found" || ! test -d "$found"; then refuse 'its .git leads elsewhere, as in submodules and linked worktrees'; fi
  for name in commondir modules objects/info/alternates; do
    if test -e "$found/$name"; then refuse "its .git/$name leads to another repository"; fi
  done
  test -e "$found/config" || continue
  keys=$(git -C / config --file "$found/config" --no-includes --name-only --list) || refuse 'its settings cannot be read'
  key=$(printf '%s\\n' "$keys" | LC_ALL=C grep -avxEm 1 '${HARMLESS.join('|')}')
  test -z "$key" || refuse "the setting $key may start a program; remove it from .git/config"
done
`;

/**
 * Defines `open_repository`, which has git work in the repository of the current folder, and in no other. Git itself
 * would take any folder that has the files of a repository for one. Repositories within it are checked, too: git starts
 * itself in those that are recorded as submodules.
 */
const OPEN_REPOSITORY = `
open_repository() {
  top=$(pwd -P)
  until test -e "$top/.git" || test -L "$top/.git"; do
    if test "$top" = /work || test "$top" = /; then echo 'this is not a git repository' >&2; exit 1; fi
    top=$(dirname -- "$top")
  done
  find "$top" -name .git -prune -exec /bin/sh -c '${CHECK.replaceAll("'", String.raw`'\''`)}' sh {} + || exit
  export GIT_DIR="$top/.git" GIT_WORK_TREE="$top"
}
`;

/** Says where the repository keeps the note of the call `$mark`, and how it is written: it is whole or not there. */
export const NOTE = `
folder=$(git rev-parse --absolute-git-dir) || exit
note=$folder/everturn/$mark
write_note() { printf '%s\\n' "$1" > "$note.new" && mv -- "$note.new" "$note"; }
done_with() { printf '%s\\n' "$1" > "$note.new" && mv -- "$note.new" "$note.done" && rm -f "$note" && cat "$note.done"; }
`;

/**
 * Begins the call `$mark`, or ends the script with what the call has done before. What git has locked in a call that
 * was ended is unlocked when nobody can be working on it: by the repetition of that call, or after ten minutes.
 */
export const NOTES = `${NOTE}
mkdir -p "$folder/everturn" || exit
find "$folder/everturn" -type f -mtime +7 -delete
if test -f "$note.done"; then cat "$note.done"; exit; fi
age='-mmin +10'
if test -f "$note"; then age=; fi
find "$folder" -maxdepth 1 -name '*.lock' $age -delete
find "$folder/refs" -name '*.lock' $age -delete
`;

/** Returns the address of a repository; throws a `ToolFailure` that says why it cannot be reached. */
export function remoteOf(text: string): RemoteAddress {
  const address = readRemoteAddress(text);
  if ('issue' in address) throw new ToolFailure('invalid_input', address.issue);
  return address;
}

/** Returns the name under which a repository keeps what a call does in it. */
export function markOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** A branch of a repository of another server, as the settings of a clone name it. */
interface TrackedBranch {
  /** The name of the remote, such as `origin`. */
  readonly remote: string;
  readonly url: string;
  readonly branch: string;
}

interface Asked {
  readonly cwd: string | undefined;
  readonly remote: string | undefined;
  readonly branch: string | undefined;
}

/**
 * Sets `$remote`, `$branch` and `$url`, the branch that is meant: by default the one that the branch here follows when
 * something is fetched, and the one of the same name when something is pushed. `$1` is the remote, `$2` the branch,
 * `$3` what is to be done, `fetch` or `push`.
 */
export const TRACKED_BRANCH = `
remote=$1; branch=$2; access=$3; here=$(git branch --show-current)
git rev-parse --git-dir > /dev/null || exit
test -n "$here$branch" || { echo 'no branch is checked out: switch to one with git_branch, or name one' >&2; exit 1; }
test -n "$remote" || remote=$(git config --get "branch.$here.remote" || echo origin)
if test -z "$branch"; then
  followed=$(git config --get "branch.$here.merge")
  branch=$here
  test "$access" = push || test -z "$followed" || branch=\${followed#refs/heads/}
fi
url=$(git config --get "remote.$remote.url") || {
  echo "the repository has no remote $remote; it has: $(git remote | head -20 | tr '\\n' ' ')" >&2; exit 1
}
test "$access" = fetch || url=$(git config --get "remote.$remote.pushurl" || echo "$url")
git check-ref-format "refs/remotes/$remote/$branch" || { echo "$branch is no name of a branch" >&2; exit 1; }
`;

// The address is last: it may contain line breaks.
const SCRIPT = `${TRACKED_BRANCH}printf '%s\\n' "$remote" "$branch" "$url"`;

/** Finds out which branch of which repository is to be fetched. Throws a `ToolFailure` when it cannot be reached. */
export async function findTrackedBranch(asked: Asked, context: ToolContext): Promise<TrackedBranch> {
  const { cwd, remote: wanted = '', branch: named = '' } = asked;
  const args = [wanted, named, 'fetch'];
  const { stdout } = await runGitScript({ script: SCRIPT, args, cwd, isRead: true }, context);
  const [remote = '', branch = '', address = ''] = stdout.toString().split('\n');
  return { remote, branch, url: remoteOf(address).url };
}

/** The parameter of all git tools that says where the repository is. */
export const cwdParameter = z
  .string()
  .max(1024)
  .optional()
  .describe('Folder of the repository; the workspace itself when left out.');

/** Makes the schema of the name of a branch, a tag or a commit, which cannot be taken for an option. */
export function revisionParameter(description: string) {
  return z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^-\s]\S*$/)
    .describe(description);
}
