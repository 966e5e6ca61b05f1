import type { CommandEnding, GitRemote, ToolContext } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { folderPath } from '../../../workspace/workspace-path.ts';
import { whyEnded } from '../../shell/why-ended.ts';
import { OPEN_REPOSITORY } from './open-repository.ts';

/** A command of git in a folder of the workspace. */
interface GitCommand {
  /** The folder of the workspace; the workspace itself unless given. */
  readonly cwd: string | undefined;
  /** What follows `git`. */
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
    throw new ToolFailure('invalid_input', 'Arguments cannot hold the character NUL');
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
