import { z } from 'zod';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath, folderPath } from '../../workspace/workspace-path.ts';
import { FILE_PATH, pathParameter } from '../parameters.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Creates or replaces a file. Repeated, it writes the same again. */
export const fileWrite = defineTool({
  key: 'file_write',
  name: 'Write file',
  description: 'Creates a file in the workspace, or replaces it whole. To change a part of a file use file_edit.',
  category: 'filesystem',
  parameters: z.strictObject({
    path: pathParameter(FILE_PATH),
    content: z.string().describe('The content of the file.'),
    encoding: z.enum(['utf8', 'base64']).optional().describe('How `content` is written: `utf8` (default) or `base64`.'),
    overwrite: z.boolean().optional().describe('Whether a file that is there may be replaced; true when left out.'),
    create_dirs: z.boolean().optional().describe('Whether missing folders of the path are made; true when left out.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 30,
  inline: true,
  label: ({ path }) => `Writing ${path}`,
  run: async (args, { workspace, hasForeignText: isForeign }) => {
    const bytes = args.encoding === 'base64' ? decode(args.content) : Buffer.from(args.content);
    const { wasThere } = await workspace.write(filePath(args.path), bytes, {
      overwrite: args.overwrite ?? true,
      createFolders: args.create_dirs ?? true,
      isForeign,
    });
    return { value: { path: args.path, bytes: bytes.length, replaced: wasThere } };
  },
});

function decode(content: string): Buffer {
  if (!BASE64.test(content.replaceAll(/\s+/g, ''))) throw new ToolFailure('invalid_input', 'The content is not base64');
  return Buffer.from(content, 'base64');
}

/** Moves, renames or copies. The workspace recognises a call that is repeated. */
export const fileMove = defineTool({
  key: 'file_move',
  name: 'Move file',
  description:
    'Moves or renames a file or folder of the workspace, or copies it when `copy` is true. Missing folders of the new path are made.',
  category: 'filesystem',
  parameters: z.strictObject({
    from: pathParameter(FILE_PATH),
    to: pathParameter('The whole new path, with the name: `archive/plan.md`, not only the folder `archive`.'),
    copy: z.boolean().optional().describe('Whether it stays at `from` too.'),
    overwrite: z.boolean().optional().describe('Whether a file at `to` may be replaced; a folder never is.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 60,
  inline: true,
  label: ({ from, copy }) => `${copy === true ? 'Copying' : 'Moving'} ${from}`,
  run: async ({ from, to, copy = false, overwrite = false }, { workspace, idempotencyKey: key, signal }) => {
    await workspace.move(filePath(from), filePath(to), { key, isCopy: copy, overwrite }, signal);
    return { value: { [copy ? 'copied' : 'moved']: from, to } };
  },
});

/** Deletes a file or folder. Repeated, it finds nothing, which is a success too. */
export const fileDelete = defineTool({
  key: 'file_delete',
  name: 'Delete file',
  description:
    'Deletes a file of the workspace, or a folder with all that is in it when `recursive` is true. Succeeds when there is nothing at the path.',
  category: 'filesystem',
  parameters: z.strictObject({
    path: pathParameter(FILE_PATH),
    recursive: z.boolean().optional().describe('Whether a folder that is not empty may be deleted.'),
  }),
  effect: 'keyed',
  approval: 'writes',
  approvalOf: ({ recursive }) => (recursive === true ? 'writes' : 'never'),
  timeoutSeconds: 60,
  inline: true,
  label: ({ path }) => `Deleting ${path}`,
  run: async ({ path, recursive }, { workspace, signal }) => {
    const names = folderPath(path);
    const wasThere = await workspace.remove(names, { recursive: recursive === true }, signal);
    return {
      value: wasThere ? { path, deleted: true } : { path, deleted: false, note: 'There was nothing at this path' },
    };
  },
});

const MAX_BYTES = 2_000_000;

const parameters = z.strictObject({
  path: pathParameter(FILE_PATH),
  old_text: z
    .string()
    .min(1)
    .optional()
    .describe('The exact text to replace, with its line breaks and blanks. Take enough of it to make it unique.'),
  new_text: z.string().optional().describe('What to put there; empty to take the text out.'),
  patch: z.string().min(1).optional().describe('A unified diff of this one file, instead of old_text and new_text.'),
  expected_count: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('How often old_text must occur; all of them are replaced. 1 when left out.'),
});

/** Changes a part of a text file. The workspace recognises an edit that is repeated and does not make it again. */
export const fileEdit = defineTool({
  key: 'file_edit',
  name: 'Edit file',
  description:
    'Changes a part of a text file in the workspace: replaces the exact text `old_text` by `new_text`, or applies the unified diff `patch`. ' +
    'Nothing is changed when the text is not found exactly `expected_count` times or the diff does not fit.',
  category: 'filesystem',
  parameters,
  effect: 'keyed',
  timeoutSeconds: 30,
  inline: true,
  label: ({ path }) => `Editing ${path}`,
  run: async (args, context) => {
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
});

type Change = (content: Buffer) => Promise<{ text: string; count: number }>;

function changeOf(args: z.output<typeof parameters>, context: ToolContext): Change {
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
  // Before the edit is made: a repeated replacement may be long.
  if (text.length + count * (newText.length - oldText.length) > MAX_BYTES) {
    throw new ToolFailure('invalid_input', `The file would become larger than ${MAX_BYTES} bytes`);
  }
  return { text: parts.join(newText), count };
}

const patched = z.object({ content: z.string(), hunks: z.int() });

async function applyDiff(content: Buffer, patch: string, context: ToolContext) {
  // Decoded when its turn comes: until then there is one copy of the text.
  const job = async () => ({ kind: 'patch' as const, content: toText(content), patch });
  const answer = patched.parse(JSON.parse(await context.compute(job, { size: content.length })));
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
