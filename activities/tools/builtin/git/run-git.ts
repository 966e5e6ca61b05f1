import type { CommandEnding, ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { folderPath } from '../../workspace/workspace-path.ts';
import { whyEnded } from '../shell/why-ended.ts';

/** A command of git in a folder of the workspace. */
interface GitCommand {
  /** The folder of the workspace; the workspace itself unless given. */
  readonly cwd: string | undefined;
  /** What follows `git`. */
  readonly args: readonly string[];
  /** Whether it only reads: the workspace cannot be changed then. */
  readonly isRead: boolean;
}

/** A script in which `git` is the command of `GitCommand`; its arguments are those of the script. */
interface GitScript extends GitCommand {
  readonly script: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

const TIMEOUT_S = 60;
const MAX_MESSAGE = 1_000;

/**
 * Said before every command: a repository may come from anywhere, and its settings name programs to start. They would
 * start inside the sandbox only, and not even there.
 */
const SETTINGS = [
  'safe.directory=*',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'color.ui=false',
  'gc.auto=0',
  'protocol.allow=never',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting]);

const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_OPTIONAL_LOCKS: '0',
  TZ: 'UTC',
};

/** Runs git, and throws a `ToolFailure` with what git says when it fails. */
export async function runGit({ args, ...options }: GitCommand, context: ToolContext): Promise<CommandEnding> {
  return runGitScript({ ...options, args, script: 'git "$@"' }, context);
}

/** Runs a script, and throws a `ToolFailure` with what git says when it fails. */
export async function runGitScript(
  { cwd = '.', args, isRead, script, environment, stdin }: GitScript,
  context: ToolContext,
): Promise<CommandEnding> {
  const folder = folderPath(cwd).join('/') || '.';
  if (args.some((arg) => arg.includes('\0')))
    throw new ToolFailure('invalid_input', 'Arguments cannot hold the character NUL');
  const ending = await context.runCommand({
    command: ['/bin/sh', '-c', programOf(script), 'sh', folder, ...args],
    workspace: isRead ? 'read' : 'write',
    environment: { ...ENVIRONMENT, ...environment },
    stdin,
    timeoutMs: TIMEOUT_S * 1_000,
  });
  if (ending.exitCode === 0) return ending;
  throw failureOf(ending);
}

function programOf(script: string): string {
  const settings = SETTINGS.map((setting) => `'${setting}'`).join(' ');
  return `cd -- "$1" || exit; shift; git() { command git ${settings} "$@"; }\n${script}`;
}

function failureOf({ exitCode, killedFor, stderr, stdout, isForeign }: CommandEnding): ToolFailure {
  if (killedFor !== undefined) return new ToolFailure('timeout', whyEnded(killedFor, TIMEOUT_S));
  const said = (stderr.toString().trim() || stdout.toString().trim()).slice(0, MAX_MESSAGE).toWellFormed();
  const kind = said.includes('not a git repository') ? 'not_found' : 'invalid_input';
  return new ToolFailure(kind, said === '' ? `git ended with the code ${exitCode}` : `git says: ${said}`, {
    isForeign,
  });
}
