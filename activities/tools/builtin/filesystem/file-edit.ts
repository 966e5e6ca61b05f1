import { compute } from '../../compute/index.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolContext, ToolImplementation } from '../../tool.ts';
import { filePath } from '../../workspace/index.ts';

interface Arguments {
  readonly path: string;
  readonly old_text?: string;
  readonly new_text?: string;
  readonly patch?: string;
  readonly expected_count?: number;
}

const MAX_BYTES = 2_000_000;

/** Changes a part of a text file. The workspace recognises an edit that is repeated and does not make it again. */
export const fileEdit: ToolImplementation = {
  run: async (given, context) => {
    const args = given as unknown as Arguments;
    const change = changeOf(args, context);
    let count = 0;
    const { wasDone } = await context.workspace.edit(
      filePath(args.path),
      { key: context.idempotencyKey, maxBytes: MAX_BYTES, isForeign: context.hasForeignText },
      async (content) => {
        const changed = await change(content);
        count = changed.count;
        return Buffer.from(changed.text);
      },
    );
    return { value: wasDone ? { path: args.path, edited: true } : { path: args.path, edited: true, changes: count } };
  },
  label: ({ path }) => `Editing ${String(path)}`,
};

type Change = (content: Buffer) => Promise<{ text: string; count: number }>;

function changeOf(args: Arguments, context: ToolContext): Change {
  const { old_text: oldText, new_text: newText, patch, expected_count: expected = 1 } = args;
  if (patch !== undefined && oldText === undefined && newText === undefined) {
    return (content) => applyDiff(content, patch, context);
  }
  if (patch === undefined && oldText !== undefined && newText !== undefined) {
    return async (content) => replaceExact(toText(content), oldText, newText, expected);
  }
  throw new ToolFailure('invalid_input', 'Give either patch, or old_text and new_text');
}

function replaceExact(text: string, oldText: string, newText: string, expected: number) {
  const parts = text.split(oldText);
  const count = parts.length - 1;
  if (count === 0)
    throw new ToolFailure('not_found', 'old_text does not occur in the file; read the file and copy it exactly');
  if (count !== expected) {
    throw new ToolFailure(
      'invalid_input',
      `old_text occurs ${count} times, not ${expected}; take more of the text around it`,
    );
  }
  // Before it is made: what is put in many times may be long.
  if (text.length + count * (newText.length - oldText.length) > MAX_BYTES) {
    throw new ToolFailure('invalid_input', `The file would become larger than ${MAX_BYTES} bytes`);
  }
  return { text: parts.join(newText), count };
}

async function applyDiff(content: Buffer, patch: string, context: ToolContext) {
  // As text when it is its turn: until then it is held once.
  const job = async () => ({ kind: 'patch' as const, content: toText(content), patch });
  const answer = JSON.parse(await compute(job, context, { size: content.length })) as {
    content: string;
    hunks: number;
  };
  return { text: answer.content, count: answer.hunks };
}

function toText(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (error) {
    throw new ToolFailure('invalid_input', 'The file is not UTF-8 text; only such files can be edited', {
      cause: error,
    });
  }
}
