import type { CommandEnding, ToolContext } from '../../context.ts';
import { shownText } from '../shown-text.ts';

/** Returns what a model is shown of a stream. The whole of a long one is kept in a file of the workspace. */
export async function shownOutput(
  ending: CommandEnding,
  stream: 'stdout' | 'stderr',
  context: Pick<ToolContext, 'workspace' | 'idempotencyKey' | 'hasForeignText'>,
): Promise<string> {
  return shownText(
    { bytes: ending[stream], name: stream, isForeign: ending.isForeign || context.hasForeignText },
    context,
  );
}
