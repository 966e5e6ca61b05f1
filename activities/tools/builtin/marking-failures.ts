import { ToolFailure } from '../tool-failure.ts';
import type { ToolContext } from '../context.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/**
 * Runs work on files whose content an error may quote. Such an error is marked as text from outside when one of the
 * files is marked, or was by the time it was read.
 */
export async function markingFailures<T>(
  { workspace }: Pick<ToolContext, 'workspace'>,
  paths: () => readonly WorkspacePath[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const marks = await Promise.all(paths().map(async (path) => workspace.isForeign(path)));
    throw marks.includes(true) ? error.asForeign() : error;
  }
}
