import type { ToolContext } from '../context.ts';
import { filePath } from '../workspace/workspace-path.ts';

interface WholeResult {
  readonly bytes: Buffer;
  /** What the file is called after, with its ending. */
  readonly name: string;
  readonly isForeign: boolean;
}

/**
 * Keeps the whole of a result of which the model is shown a part in a file of the workspace, and returns its path;
 * undefined when it could not be kept.
 */
export async function keepWhole(
  { bytes, name, isForeign }: WholeResult,
  { workspace, idempotencyKey }: Pick<ToolContext, 'workspace' | 'idempotencyKey'>,
): Promise<string | undefined> {
  const path = `tool-results/${idempotencyKey.replaceAll(/[^0-9A-Za-z-]/g, '_').slice(0, 100)}-${name}`;
  try {
    await workspace.write(filePath(path), bytes, { overwrite: true, createFolders: true, isForeign });
    return path;
  } catch {
    return undefined;
  }
}
