import { MAX_RESULT_CHARACTERS } from '../../../domain/tool-calls/tool-call.ts';
import type { ToolContext } from '../context.ts';
import { filePath } from '../workspace/workspace-path.ts';

/** The characters that are shown of a text: from its begin and from its end, half each. */
const SHOWN = 6_000;

interface ShownText {
  readonly bytes: Buffer;
  /** The name of the file with the whole text, where there is one. */
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

/**
 * Keeps the whole of a result of which the model is shown a part in a file of the workspace, and returns its path;
 * undefined when it could not be kept.
 */
export async function keepWhole(
  { bytes, name, isForeign }: ShownText,
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

// Leaves room for the marks around it, so that the text is cut between lines, with a notice.
export const MAX_SHOWN_CHARACTERS = MAX_RESULT_CHARACTERS - 1_000;
const LINE_BREAK = '\n';

/** Cuts a text that begins with line `start` to what a result shows, between lines, and says where to continue. */
export function cutAtLine(text: string, start: number): string {
  const lastBreak = text.lastIndexOf(LINE_BREAK, MAX_SHOWN_CHARACTERS - 1);
  if (lastBreak === -1) {
    const shown = text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
    return `${shown}\n[Line ${start} is longer than can be shown.]`;
  }
  const shown = text.slice(0, lastBreak + 1);
  const next = start + shown.split(LINE_BREAK).length - 1;
  return `${shown}[The file continues. Read it from start_line ${next}.]`;
}
