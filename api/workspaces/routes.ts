import { z } from 'zod';
import { EXAMPLE_TIME, pageParams, timestamp } from '../http/fields.ts';
import { getWorkspaceFile, listWorkspace } from '../../db/workspaces/list-workspace.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { presenter } from '../../domain/core/record-names.ts';
import { text } from '../../domain/core/text.ts';
import { readerOf } from '../chats/own-chat.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineDownloadRoute, defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { sendWorkspaceFile, WORKSPACE_FILE } from './send-workspace-file.ts';

const workspaceEntrySchema = z
  .object({
    path: z
      .string()
      .meta({ description: 'Relative to the workspace; it may contain any character that a file name can' }),
    type: z.enum(['file', 'folder', 'link']).meta({ description: 'Links are listed but not followed' }),
    size: z.int().meta({ description: 'In bytes; 0 for a folder and a link' }),
    modified_at: timestamp,
  })
  .meta({
    id: 'WorkspaceEntry',
    examples: [{ path: 'reports/2026-11.csv', type: 'file', size: 48_213, modified_at: EXAMPLE_TIME }],
  });

const head = { resource: 'files', access: 'in_org', tag: 'Files' } as const;
const workspacePath = '/api/chats/{chat_id}/workspace';
const chatParams = idParams('chat_id');
const MAX_PATH = 4_096;

export const workspaceRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: workspacePath,
    action: 'view_workspace',
    operationId: 'listWorkspace',
    summary: 'List a folder of a chat’s workspace, sorted by name',
    description:
      'The files that the agents of the chat have written, as of their last call; those of a sub-agent are in the workspace of the chat that it works for. Uploaded files are listed by `listChatFiles`.',
    errors: [409],
    query: z.strictObject({
      ...pageParams,
      folder: text(MAX_PATH)
        .min(1)
        .optional()
        .meta({ description: 'The path of a folder; defaults to the workspace itself' }),
    }),
    response: { status: 200, schema: workspaceEntrySchema.array() },
    handler: async ({ caller, params: { chat_id: chatId }, query: { folder = '', ...page }, answerPage }, context) => {
      requireStored(context);
      const ref = { chatId, path: folder.replace(/(?<=.)\/$/, '') };
      const entries = await listWorkspace(context.database, readerOf(caller), ref, page);
      return answerPage(entries).map(presenter(workspaceEntrySchema));
    },
  }),
  defineDownloadRoute({
    ...head,
    method: 'get',
    path: `${workspacePath}/{path}`,
    takesRestOfPath: true,
    action: 'download_from_workspace',
    operationId: 'downloadWorkspaceFile',
    summary: 'Download a file of a chat’s workspace',
    description:
      'Always sent as an attachment. `Range` requests a part of it, and `If-Range` and `If-None-Match` accept its `ETag`. A file that agents replace during the download is sent in its old version.',
    params: chatParams.extend({
      path: z
        .string()
        .max(MAX_PATH)
        .meta({ description: 'Path of the file; slashes may be sent as they are or as %2F' }),
    }),
    errors: [409, 429],
    response: { status: 200, download: 'The bytes of the file', mediaType: WORKSPACE_FILE },
    handler: async ({ caller, params: { chat_id: chatId, path } }, context, reply) => {
      requireStored(context);
      const { size, content } = await getWorkspaceFile(context.database, readerOf(caller), { chatId, path });
      const name = path.slice(path.lastIndexOf('/') + 1);
      await sendWorkspaceFile(context, caller, reply, { name, size, content });
    },
  }),
];

function requireStored({ workspaces }: Pick<ApiContext, 'workspaces'>): void {
  if (workspaces !== 'shared') return;
  throw new AppError(
    'conflict',
    'The operator keeps workspaces in a folder of the workers, where the API does not reach them',
  );
}
