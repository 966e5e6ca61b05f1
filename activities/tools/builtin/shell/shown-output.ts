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

const WORDS = {
  memory: 'It needed too much memory; all its processes were ended',
  output: 'It wrote more than 10 MB of output; all its processes were ended. Write to a file instead',
  space: 'The workspace was full; all its processes were ended. Delete files that are not needed',
  system: 'The system ended it, probably because memory was short',
};

/** Says why a command was ended before it had finished. */
export function whyEnded(reason: NonNullable<CommandEnding['killedFor']>, seconds: number): string {
  if (reason === 'time') return `It took longer than ${seconds} seconds; all its processes were ended`;
  return WORDS[reason];
}
