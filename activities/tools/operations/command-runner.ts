import { type OpenedRemote, type OpenRemote, RemoteError } from '../../git-remotes/index.ts';
import { type Sandbox, SandboxBusy, SandboxUnavailable } from '../../sandbox/index.ts';
import type { CommandEnding, RunCommand, ToolCommand } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { Workspace } from '../workspace/index.ts';

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
