import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { cursorParameter, mailAddress, pathParameter } from '../parameters.ts';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../services/service-tool.ts';
import type { ActionRequest } from '../services/read-answer.ts';

const LISTED = 25;
/** The most that the API takes in one request together with the metadata. */
const MAX_UPLOAD = 5 * 1024 * 1024;
const MAX_DOWNLOAD = 32 * 1024 * 1024;
const UNKNOWN = 'application/octet-stream';
const TEXT = 'text/plain; charset=utf-8';
const fileId = z.string().regex(/^[\w-]{1,200}$/);
const mimeType = z
  .string()
  .max(200)
  .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type');

const parameters = z.strictObject({
  query: z.string().min(1).max(500).optional().describe('In search: words of names and contents.'),
  file_id: fileId.optional().describe('Of a file or folder.'),
  parent_id: fileId.optional().describe('A folder: in search, upload and move.'),
  name: z.string().min(1).max(500).optional().describe('In upload; in move, another name.'),
  mime_type: mimeType
    .optional()
    .describe(
      'In search and upload; in export, what becomes of it, such as `application/pdf`, `text/markdown` or `text/csv`.',
    ),
  content: z.string().max(1_000_000).optional().describe('In upload and replace: a text.'),
  path: pathParameter('A workspace file: to upload, or to write a download or export to.').optional(),
  email: mailAddress.optional().describe('In share: whom with.'),
  role: z.enum(['reader', 'commenter', 'writer']).optional().describe('In share; `reader` when left out.'),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;
const { keyed, once, read } = actionsWith<Arguments>();
const FILE = 'id,name,mimeType,size,modifiedTime,parents,owners(emailAddress),webViewLink,trashed';
/** Files of shared drives are files too. */
const ALL_DRIVES = { supportsAllDrives: true };
const listSchema = z.object({ files: z.array(z.unknown()).default([]), nextPageToken: z.string().optional() });
const parentsSchema = z.object({ parents: z.array(z.string()).default([]) });

const ACTIONS = {
  search: read([], async ({ query, parent_id: parent, mime_type: type, cursor }, { service }) => {
    const parts = {
      q: searchQuery({ query, parent, mimeType: type }),
      fields: `nextPageToken,files(${FILE})`,
      pageSize: LISTED,
      pageToken: cursor,
      includeItemsFromAllDrives: true,
      ...ALL_DRIVES,
    };
    const { files, nextPageToken } = await service.read({ path: '/drive/v3/files', query: parts }, listSchema);
    return { files, next: nextPageToken };
  }),
  get: read(['file_id'], async (args, { service }) => {
    const query = { fields: `${FILE},description,createdTime`, ...ALL_DRIVES };
    return (await service.request({ path: filePathOf(args), query })).json();
  }),
  // A repetition writes the same file.
  download: keyed(['file_id', 'path'], { approval: 'never' }, async (args, call) =>
    save(args.path, { path: filePathOf(args), query: { alt: 'media', ...ALL_DRIVES } }, call),
  ),
  export: keyed(['file_id', 'mime_type', 'path'], { approval: 'never' }, async (args, call) => {
    const query = { mimeType: args.mime_type };
    return save(args.path, { path: `${filePathOf(args)}/export`, query }, call);
  }),
  // The API makes the ids: it does not know a key.
  upload: once(
    ['name'],
    { approval: 'never', sends: { path: ({ path }) => path, maxBytes: MAX_UPLOAD } },
    async (args, call) => {
      const metadata = { name: args.name, ...(args.parent_id !== undefined && { parents: [args.parent_id] }) };
      return send(args, call, { method: 'POST', path: '/upload/drive/v3/files', metadata });
    },
  ),
  replace: keyed(['file_id'], { sends: { path: ({ path }) => path, maxBytes: MAX_UPLOAD } }, async (args, call) => {
    const path = `/upload${filePathOf(args)}`;
    return send(args, call, { method: 'PATCH', path, metadata: { name: args.name } });
  }),
  move: keyed(['file_id'], { approval: 'never' }, async (args, { service }) => {
    const query = { fields: FILE, ...ALL_DRIVES, ...(await stepsOf(args, { service })) };
    const json = { name: args.name };
    return (await service.request({ method: 'PATCH', path: filePathOf(args), query, json })).json();
  }),
  // A person has one permission on a file. Nobody is notified by mail: a repetition would notify them again.
  share: keyed(['file_id', 'email'], async (args, { service }) => {
    const path = `${filePathOf(args)}/permissions`;
    const query = { sendNotificationEmail: false, ...ALL_DRIVES };
    const json = { type: 'user', role: args.role ?? 'reader', emailAddress: args.email };
    return service.pick({ method: 'POST', path, query, json }, 'id type role');
  }),
  trash: keyed(['file_id'], async (args, { service }) => {
    const query = { fields: FILE, ...ALL_DRIVES };
    const json = { trashed: true };
    return (await service.request({ method: 'PATCH', path: filePathOf(args), query, json })).json();
  }),
};

/** Works with the files of a Google account. */
export const googleDrive = defineServiceTool({
  key: 'google_drive',
  name: 'Google Drive',
  description:
    'Searches files in Google Drive, downloads them to the workspace, exports Docs, Sheets and Slides, uploads, replaces, moves, shares and trashes.',
  category: 'cloud',
  kinds: ['google_drive'],
  parameters,
  actions: ACTIONS,
});

function filePathOf({ file_id: id = '' }: Arguments): string {
  return pathOf`/drive/v3/files/${id}`;
}

/** Returns the parents that a file gets and loses. */
async function stepsOf(args: Arguments, { service }: Pick<ServiceCall, 'service'>) {
  if (args.parent_id === undefined) return {};
  const query = { fields: 'parents', ...ALL_DRIVES };
  const { parents } = await service.read({ path: filePathOf(args), query }, parentsSchema);
  const removed = parents.filter((id) => id !== args.parent_id);
  return { addParents: args.parent_id, removeParents: removed.length === 0 ? undefined : removed.join(',') };
}

async function save(path: string, request: ActionRequest, { service, context }: ServiceCall): Promise<unknown> {
  const target = filePath(path);
  return context.runLargeWork(async () => {
    const { bytes, headers } = await service.request({ ...request, maxBytes: MAX_DOWNLOAD, timeoutMs: 60_000 });
    await context.workspace.write(target, bytes, { overwrite: true, createFolders: true, isForeign: true });
    return { path, bytes: bytes.length, type: headers.get('content-type') };
  });
}

interface Sent {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly metadata: object;
}

async function send(
  { content, path: source, mime_type: type = content === undefined ? UNKNOWN : TEXT }: Arguments,
  { service, context, readSent }: ServiceCall,
  { metadata, ...request }: Sent,
): Promise<unknown> {
  if ((content === undefined) === (source === undefined))
    throw new ToolFailure('invalid_input', 'Give either `content` or `path`: what is uploaded');
  return context.runLargeWork(async () => {
    const bytes = source === undefined ? Buffer.from(content ?? '') : await readSent(source);
    const parts = multipartBody(metadata, { type, content: bytes });
    const query = { uploadType: 'multipart', fields: FILE, ...ALL_DRIVES };
    const headers = { 'Content-Type': parts.type };
    const answer = await service.request({ ...request, query, headers, body: parts.body, timeoutMs: 60_000 });
    return answer.json();
  });
}

/** Returns the body that uploads a file together with its metadata, and its content type. */
function multipartBody(
  metadata: object,
  { type, content }: { readonly type: string; readonly content: Uint8Array },
): { readonly type: string; readonly body: Uint8Array } {
  // Of the content, so that it cannot occur in it.
  const boundary = `everturn-${createHash('sha256').update(content).digest('hex')}`;
  const head = `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(metadata)}\r\n--${boundary}\r\nContent-Type: ${type}\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/related; boundary=${boundary}`, body };
}

/** The criteria of a file search. */
interface FileSearch {
  readonly query: string | undefined;
  readonly parent: string | undefined;
  readonly mimeType: string | undefined;
}

/** Returns a search in the language of the API; what is searched for is always quoted. */
function searchQuery({ query, parent, mimeType }: FileSearch): string {
  return [
    'trashed = false',
    ...(query === undefined ? [] : [`(name contains ${quoted(query)} or fullText contains ${quoted(query)})`]),
    ...(parent === undefined ? [] : [`${quoted(parent)} in parents`]),
    ...(mimeType === undefined ? [] : [`mimeType = ${quoted(mimeType)}`]),
  ].join(' and ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
