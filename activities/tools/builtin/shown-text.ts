import type { ToolContext } from '../context.ts';
import { keepWhole } from './keep-whole.ts';

/** The characters that are shown of a text: from its begin and from its end, half each. */
const SHOWN = 6_000;

interface ShownText {
  readonly bytes: Buffer;
  /** What the file with the whole text is called after, where there is one. */
  readonly name: string;
  readonly isForeign: boolean;
}

/**
 * Returns what a model is shown of a text whose end matters as much as its begin, such as an output or a log. The whole
 * of a long one is kept in a file of the workspace.
 */
export async function shownText(
  { bytes, name, isForeign }: ShownText,
  context: Pick<ToolContext, 'workspace' | 'idempotencyKey'>,
): Promise<string> {
  const text = bytes.toString();
  if (text.length <= SHOWN) return text;
  const path = await keepWhole({ bytes, name: `${name}.txt`, isForeign }, context);
  const kept =
    path === undefined ? 'the rest could not be kept in the workspace' : `the whole is in the workspace file ${path}`;
  const [begin, end] = [text.slice(0, SHOWN / 2), text.slice(-SHOWN / 2)].map((part) => part.toWellFormed());
  return `${begin}\n[... ${bytes.length} bytes in all; ${kept} ...]\n${end}`;
}
