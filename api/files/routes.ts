import { z } from 'zod';
import { type ChatFile, deleteFile, getFile, listFiles, requireChatForFiles } from '../../db/files/files.ts';
import { FILE_STATUSES, textNameOf, UPLOADS } from '../../domain/files.ts';
import { present } from '../../domain/core/record-names.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageQuery, timestamp } from '../http/fields.ts';
import { asOwner, readerOf } from '../chats/own-chat.ts';
import { defineDownloadRoute, defineRoute, defineUploadRoute } from '../http/define-route.ts';
import { requireRoomForUploads, sendStoredFile, storeUpload } from './stored-files.ts';

const fileSchema = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid(),
    user_id: z.uuid().nullable(),
    name: z.string().meta({ description: 'The name given by the sender' }),
    path: z.string().meta({ description: 'Its path in the workspace of the chat' }),
    text_path: z
      .string()
      .nullable()
      .meta({ description: 'The path of its extracted text, unless the file is plain text itself' }),
    media_type: z.string().meta({ description: 'Detected from its content' }),
    size: z.int().meta({ description: 'In bytes' }),
    status: z.enum(FILE_STATUSES).meta({
      description:
        '`pending` while its text is being extracted; `failed`, with `error`, when that was not possible; otherwise `ready`',
    }),
    error: z.string().nullable().meta({ description: 'Why its text could not be extracted' }),
    text_characters: z.int().nullable().meta({ description: 'The length of its text; null for an image' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'ChatFile',
    examples: [
      {
        id: EXAMPLE_ID,
        chat_id: EXAMPLE_ID,
        user_id: EXAMPLE_ID,
        name: 'Quarterly report.pdf',
        path: 'uploads/Quarterly report.pdf',
        text_path: 'uploads/Quarterly report.pdf.txt',
        media_type: 'application/pdf',
        size: 48_213,
        status: 'ready',
        error: null,
        text_characters: 20_480,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

/** Returns a file as the API shows it. */
function presentFile(file: ChatFile): z.input<typeof fileSchema> {
  const { pathName, hasTextApart } = file;
  const textPath = hasTextApart ? `${UPLOADS}/${textNameOf(pathName)}` : null;
  return present(fileSchema, file, { path: `${UPLOADS}/${pathName}`, textPath });
}

const head = { resource: 'files', access: 'in_org', tag: 'Files' } as const;
const chatPath = '/api/chats/{chat_id}/files';
const filePath = `${chatPath}/{file_id}` as const;

export const fileRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: chatPath,
    operationId: 'listChatFiles',
    summary: 'List the files of a chat, oldest first',
    query: pageQuery,
    response: { status: 200, schema: fileSchema.array() },
    handler: async ({ caller, params: { chat_id: chatId }, query, answerPage }, { database }) =>
      answerPage(await listFiles(database, readerOf(caller), chatId, query)).map(presentFile),
  }),
  defineUploadRoute({
    ...head,
    method: 'post',
    path: chatPath,
    audit: false,
    operationId: 'uploadChatFile',
    summary: 'Add a file to a chat',
    description:
      'A multipart form with one part, `file`. Its type is detected from its content. Its text is extracted in the background; a message that refers to the file waits for that for a while. 409 for the chat of a sub-agent, and when the organization is out of storage.',
    upload: { description: 'The file; at most 25 MB unless the operator has set another limit' },
    response: { status: 201, schema: fileSchema },
    handler: async ({ caller, params: { chat_id: chatId }, receive, authorizeAgain }, context) => {
      await asOwner(context, caller, chatId, async () => requireChatForFiles(context.database, caller, chatId));
      await requireRoomForUploads(context, caller);
      const leave = context.uploads.acquire(caller);
      try {
        const limits = { maxBytes: context.orgLimits.uploadBytesOfOne };
        const stored = await receive(limits, async (file) =>
          storeUpload(context, { owner: caller, chatId, file, confirm: authorizeAgain }),
        );
        return presentFile({ ...stored, chatId });
      } finally {
        leave();
      }
    },
  }),
  defineRoute({
    ...head,
    method: 'get',
    path: filePath,
    operationId: 'getChatFile',
    summary: 'Get a file of a chat',
    response: { status: 200, schema: fileSchema },
    handler: async ({ caller, params: ids }, { database }) =>
      presentFile(await getFile(database, readerOf(caller), { chatId: ids.chat_id, fileId: ids.file_id })),
  }),
  defineDownloadRoute({
    ...head,
    method: 'get',
    path: `${filePath}/content`,
    action: 'download',
    operationId: 'downloadChatFile',
    summary: 'Download a file of a chat',
    description:
      'Always sent as an attachment. `Range` requests a part of it, and `If-Range` and `If-None-Match` accept its `ETag`.',
    errors: [429],
    response: { status: 200, download: 'The bytes of the file' },
    handler: async ({ caller, params: ids }, context, reply) => {
      const ref = { chatId: ids.chat_id, fileId: ids.file_id };
      await sendStoredFile(context, caller, reply, await getFile(context.database, readerOf(caller), ref));
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: filePath,
    audit: false,
    operationId: 'deleteChatFile',
    summary: 'Delete a file with its text',
    description: 'Messages keep its id; the agent sees that it was deleted.',
    response: { status: 204 },
    handler: async ({ caller, params: { chat_id: chatId, file_id: fileId } }, context) => {
      await asOwner(context, caller, chatId, async () => deleteFile(context.database, caller, { chatId, fileId }));
    },
  }),
];
