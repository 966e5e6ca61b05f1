import { z } from 'zod';
import { TextChunks } from '../../../core/texts/read-text.ts';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import type { ToolOutput } from '../../tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { cutAtLine, MAX_SHOWN_CHARACTERS } from '../shown-text.ts';
import { FILE_PATH, pathParameter } from '../parameters.ts';

/** The most bytes of a result in base64. */
const MAX_BYTES = Math.floor(MAX_SHOWN_CHARACTERS / 4) * 3;
const MAX_LINE = 1_000_000_000;
const LINE_BREAK = '\n';

/** Reads a file up to the size of a result: text by lines, or the first bytes in base64. */
export const fileRead = defineTool({
  key: 'file_read',
  name: 'Read file',
  description: 'Reads a text file of the workspace, whole or by lines.',
  category: 'filesystem',
  parameters: z.strictObject({
    path: pathParameter(FILE_PATH),
    start_line: z.int().min(1).max(MAX_LINE).optional().describe('First line to read, from 1.'),
    end_line: z.int().min(1).max(MAX_LINE).optional().describe('Last line to read, that line included.'),
    encoding: z
      .enum(['utf8', 'base64'])
      .optional()
      .describe('`utf8` (default), or `base64` for files that are not text.'),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ path }) => `Reading ${path}`,
  run: async (args, context) => {
    const start = args.start_line ?? 1;
    const end = args.end_line ?? Infinity;
    if (end < start) throw new ToolFailure('invalid_input', 'end_line must not be before start_line');
    const read =
      args.encoding === 'base64'
        ? { value: await readBytes(args.path, context) }
        : await readLines(args.path, start, end, context);
    // Checked after reading: writers set the mark before the content.
    return { ...read, isForeign: await context.workspace.isForeign(filePath(args.path)) };
  },
});

async function readBytes(path: string, { workspace, signal }: ToolContext): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of workspace.readChunks(filePath(path), signal)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) break;
  }
  const shown = Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('base64');
  return length > MAX_BYTES ? `${shown}\n[The file continues. Only its first ${MAX_BYTES} bytes are shown.]` : shown;
}

async function readLines(path: string, start: number, end: number, context: ToolContext): Promise<ToolOutput> {
  let text = '';
  let line = 1;
  const chunks = new TextChunks(context.workspace.readChunks(filePath(path), context.signal));
  for await (const chunk of chunks) {
    if (chunk.includes('\u0000'))
      throw new ToolFailure('invalid_input', 'The file is not text; read it with encoding base64');
    const { taken, next } = takeLines(chunk, line, start, end);
    text += taken;
    line = next;
    if (text.length > MAX_SHOWN_CHARACTERS || line > end) break;
  }
  if (line < start) throw new ToolFailure('invalid_input', `The file has only ${line} lines`);
  return { value: text.length > MAX_SHOWN_CHARACTERS ? cutAtLine(text, start) : text, notice: chunks.notice };
}

/**
 * Returns the part of `chunk`, which begins in line `line`, that belongs to the requested lines, and the line in which
 * it ends.
 */
function takeLines(chunk: string, line: number, start: number, end: number): { taken: string; next: number } {
  let from = 0;
  let next = line;
  while (next < start) {
    const lineBreak = chunk.indexOf(LINE_BREAK, from);
    if (lineBreak === -1) return { taken: '', next };
    from = lineBreak + 1;
    next += 1;
  }
  let to = from;
  while (next <= end) {
    const lineBreak = chunk.indexOf(LINE_BREAK, to);
    if (lineBreak === -1) return { taken: chunk.slice(from), next };
    to = lineBreak + 1;
    next += 1;
  }
  return { taken: chunk.slice(from, to), next };
}
