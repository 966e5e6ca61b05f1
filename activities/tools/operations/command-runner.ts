import { type Sandbox, SandboxBusy, SandboxUnavailable } from '../../sandbox/index.ts';
import type { CommandEnding, RunCommand, ToolCommand } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { Workspace } from '../workspace/index.ts';

interface CommandScope {
  readonly orgId: string;
  /** The workspace of the chat; a command of no chat has an empty folder. */
  readonly workspace?: Workspace;
  readonly hasForeignText: boolean;
  readonly signal: AbortSignal;
}

/** Makes what runs the commands of one call in the sandbox. */
export function commandRunner(sandbox: Pick<Sandbox, 'run'>, scope: CommandScope): RunCommand {
  const { workspace, hasForeignText, ...use } = scope;
  const run = async (command: ToolCommand): Promise<CommandEnding> => {
    if (workspace === undefined || command.workspace === 'none')
      return { ...(await sandbox.run(command, use)), isForeign: false };
    const { network = false } = command;
    return workspace.lend({ isForeign: hasForeignText || network }, async ({ path, space, hasForeign }) => {
      const folder = { path, access: command.workspace === 'write' ? 'write' : 'read' } as const;
      const ending = await sandbox.run({ ...command, folder, space }, use);
      return { ...ending, isForeign: hasForeignText || hasForeign || network };
    });
  };
  return async (command) => {
    try {
      return await run(command);
    } catch (error) {
      throw inWords(error);
    }
  };
}

function inWords(error: unknown): unknown {
  if (error instanceof SandboxBusy) return new ToolFailure('rate_limited', error.message, { cause: error });
  if (!(error instanceof SandboxUnavailable)) return error;
  const words = `There is no sandbox here to run it in: ${error.message}. Nothing was run`;
  return new ToolFailure('denied', words, { cause: error });
}
