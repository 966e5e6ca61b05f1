import type { GitRemote, Refusal } from '../../git-remotes/git-gateway.ts';
import { type OpenedRemote, type OpenRemote, RemoteError } from '../../git-remotes/open-remote.ts';
import { type Sandbox, SandboxBusy, SandboxUnavailable } from '../../sandbox/sandbox.ts';
import type { SandboxEnding } from '../../sandbox/launch.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A command for the sandbox. */
export interface ToolCommand {
  /** A program and its arguments, as they are found inside. */
  readonly command: readonly string[];
  /** Whether it sees the workspace, as `/work`, and whether it may change it. */
  readonly workspace: 'none' | 'read' | 'write';
  /** Variables of its environment. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  /** Whether it reaches public addresses over http and https. */
  readonly network?: boolean | undefined;
  /**
   * The one repository of another server that git reaches, by its own address, with credentials of the organization
   * that are not to be found inside.
   */
  readonly remote?: GitRemote | undefined;
}

/** How a command ended. */
export interface CommandEnding extends SandboxEnding {
  /** Whether its output may repeat text from outside. */
  readonly isForeign: boolean;
  /** Why the repository of another server was not reached, where it was not. */
  readonly refusal?: Refusal | undefined;
}

/** Runs a command where it can harm nobody. Throws `ToolFailure` when that cannot be had here. */
export type RunCommand = (command: ToolCommand) => Promise<CommandEnding>;

interface CommandScope {
  readonly orgId: string;
  /** The workspace of the chat; a command of no chat has an empty folder. */
  readonly workspace?: Workspace;
  readonly hasForeignText: boolean;
  /** The way to repositories of other servers; there is none unless given. */
  readonly openRemote?: OpenRemote;
  readonly signal: AbortSignal;
}

/** Makes what runs the commands of one call in the sandbox. */
export function commandRunner(sandbox: Pick<Sandbox, 'run'>, scope: CommandScope): RunCommand {
  const { workspace, hasForeignText, openRemote, ...use } = scope;
  const run = async (command: ToolCommand, opened: OpenedRemote | undefined): Promise<CommandEnding> => {
    const answer = opened && opened.gateway.answer.bind(opened.gateway);
    if (workspace === undefined || command.workspace === 'none')
      return { ...(await sandbox.run({ ...command, answer }, use)), isForeign: false };
    const isOnline = command.network === true || opened !== undefined;
    const access = command.workspace;
    return workspace.lend({ isForeign: hasForeignText || isOnline, access }, async ({ path, space, hasForeign }) => {
      const folder = { path, access };
      const ending = await sandbox.run({ ...command, answer, folder, space }, use);
      return { ...ending, isForeign: hasForeignText || hasForeign || isOnline };
    });
  };
  const runWithRemote = async (command: ToolCommand): Promise<CommandEnding> => {
    if (command.remote === undefined) return run(command, undefined);
    if (openRemote === undefined) throw new Error('this command cannot reach a repository of another server');
    const opened = await openRemote(command.remote);
    const environment = { ...command.environment, ...opened.gateway.environment };
    return inOwnTerms(await run({ ...command, environment }, opened), opened);
  };
  return async (command) => {
    try {
      return await runWithRemote(command);
    } catch (error) {
      throw inWords(error);
    }
  };
}

// The server may repeat what it was sent.
function inOwnTerms(ending: CommandEnding, { gateway, mask }: OpenedRemote): CommandEnding {
  const shown = (bytes: Buffer) => Buffer.from(mask(gateway.inOwnTerms(bytes.toString())));
  return { ...ending, stdout: shown(ending.stdout), stderr: shown(ending.stderr), refusal: gateway.refusal };
}

function inWords(error: unknown): unknown {
  if (error instanceof SandboxBusy) return new ToolFailure('rate_limited', error.message, { cause: error });
  if (error instanceof RemoteError) return new ToolFailure('denied', error.message, { cause: error });
  if (!(error instanceof SandboxUnavailable)) return error;
  const words = `There is no sandbox here to run it in: ${error.message}. Nothing was run`;
  return new ToolFailure('denied', words, { cause: error });
}
