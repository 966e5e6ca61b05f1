import type { CommandEnding, ToolContext } from '../../context.ts';
import { filePath } from '../../workspace/workspace-path.ts';

/** The characters that are shown of a stream: from its begin and from its end, half each. */
const SHOWN = 6_000;

/** Returns what a model is shown of a stream. The whole of a long one is kept in a file of the workspace. */
export async function shownOutput(
  ending: CommandEnding,
  stream: 'stdout' | 'stderr',
  { workspace, idempotencyKey, hasForeignText }: Pick<ToolContext, 'workspace' | 'idempotencyKey' | 'hasForeignText'>,
): Promise<string> {
  const bytes = ending[stream];
  const text = bytes.toString();
  if (text.length <= SHOWN) return text;
  const path = `tool-results/${idempotencyKey.replaceAll(/[^0-9A-Za-z-]/g, '_').slice(0, 100)}-${stream}.txt`;
  const isForeign = ending.isForeign || hasForeignText;
  const kept = await workspace
    .write(filePath(path), bytes, { overwrite: true, createFolders: true, isForeign })
    .then(() => `the whole is in the workspace file ${path}`)
    .catch(() => 'the rest could not be kept in the workspace');
  const [begin, end] = [text.slice(0, SHOWN / 2), text.slice(-SHOWN / 2)].map((part) => part.toWellFormed());
  return `${begin}\n[... ${bytes.length} bytes in all; ${kept} ...]\n${end}`;
}
