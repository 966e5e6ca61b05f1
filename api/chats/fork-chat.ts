import { addFork } from '../../db/chats/create-chat.ts';
import { dropChat } from '../../db/chats/delete-chat.ts';
import { getOwnChat } from '../../db/chats/chat.ts';
import { getFile, type StoredFile } from '../../db/files/files.ts';
import { requireRoomForUpload } from '../../db/files/uploads.ts';
import { copyTurns, type ForkPlan, planFork } from '../../db/turns/forks.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { formatBytes } from '../../domain/core/text.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { copyFile } from '../../files/file-stores.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { asOwner, readerOf } from './own-chat.ts';
import { chatSchema, forkSchema, presentChat } from './schema.ts';

/** The files that are copied with a fork, in bytes. */
const MAX_FILE_BYTES = 200_000_000;

interface ForkRequest {
  readonly chatId: string;
  readonly messageId: string | null;
  readonly title: string | null;
}

/** Creates a chat with the messages of another one up to a message. */
export const forkChatRoute = defineRoute({
  method: 'post',
  path: '/api/chats/{chat_id}/fork',
  resource: 'chats',
  action: 'fork',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'forkChat',
  summary: 'Fork a chat: start a new one with its messages up to a given one',
  description:
    'The new chat has the same agent, project and provider chain, and copies, with ids of their own, of the questions and answers up to the turn of the message (or of all ended turns if no message is given), with the files attached to them. Workspace files are not copied, and models no longer see the tool calls between question and answer. 409 while the message is being answered, for the chat of a sub-agent, beyond 1,000 turns, 10 MB of messages, 100 files or 200 MB of files, and when a limit of the organization is reached. 429 while another fork of yours is in progress. 403 when you may no longer use its agent.',
  body: forkSchema,
  errors: [409, 429],
  response: { status: 201, schema: chatSchema },
  handler: async ({ caller, params: { chat_id: chatId }, body }, context) => {
    const request = { chatId, messageId: body.message_id ?? null, title: body.title ?? null };
    return presentChat(
      context,
      caller,
      await asOwner(context, caller, chatId, async () => forkChat(context, caller, request)),
    );
  },
});

async function forkChat(context: ApiContext, caller: OrgCaller, request: ForkRequest) {
  const leave = context.bulkWork.acquire(caller);
  try {
    return await copyChat(context, caller, request);
  } finally {
    leave();
  }
}

async function copyChat(context: ApiContext, caller: OrgCaller, request: ForkRequest) {
  const { database, orgLimits } = context;
  const plan = await planFork(database, caller, { ...request, maxBytes: orgLimits.messageBytes });
  requireAgent(caller, plan);
  const files = await filesOf(context, caller, request.chatId, plan);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > 0) await requireRoomForUpload(database, caller, { size, maxBytes: orgLimits.uploadBytes });
  // Copies are uploads of a kind: they take as much of the disk.
  const leave = files.length === 0 ? () => undefined : context.uploads.acquire(caller);
  try {
    return await storeFork(context, caller, { ...request, plan, files });
  } finally {
    leave();
  }
}

function requireAgent({ policy }: OrgCaller, { agentId }: ForkPlan): void {
  const allowed = allowedIds(policy, 'agentIds');
  if (allowed === undefined || allowed.includes(agentId)) return;
  throw new AppError('forbidden', 'Your permission groups do not let you use the agent of this chat');
}

// Those that were deleted since are left out.
async function filesOf(
  { database }: ApiContext,
  caller: OrgCaller,
  chatId: string,
  { fileIds }: ForkPlan,
): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const fileId of fileIds) {
    const file = await getFile(database, readerOf(caller), { chatId, fileId }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (file !== undefined) files.push(file);
  }
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_FILE_BYTES)
    throw new AppError(
      'conflict',
      `A fork may contain ${formatBytes(MAX_FILE_BYTES)} of files; fork at an earlier message`,
    );
  return files;
}

async function storeFork(
  context: ApiContext,
  caller: OrgCaller,
  { chatId, title, plan, files }: ForkRequest & { readonly plan: ForkPlan; readonly files: readonly StoredFile[] },
) {
  const { database, orgLimits } = context;
  const keepsProject = policyAllows(caller.policy, 'projects.view');
  const forkId = await addFork(database, caller, { chatId, title, keepsProject, maxChats: orgLimits.chats });
  try {
    const copies = await copyFiles(context, caller, forkId, files);
    await copyTurns(database, caller, {
      from: { chatId, lastSeq: plan.lastSeq },
      toChatId: forkId,
      files: copies,
      maxBytes: orgLimits.messageBytes,
    });
  } catch (error) {
    await dropChat(database, caller, forkId).catch((failure: unknown) => {
      context.log.warn({ err: failure, chatId: forkId }, 'what is there of a failed fork could not be removed');
    });
    throw error;
  }
  return getOwnChat(database, caller, forkId);
}

async function copyFiles(
  context: ApiContext,
  owner: OrgCaller,
  chatId: string,
  files: readonly StoredFile[],
): Promise<Map<string, string>> {
  const { orgLimits } = context;
  const copies = new Map<string, string>();
  for (const file of files) {
    const copy = await copyFile(context, file, { owner, chatId, maxBytes: orgLimits.uploadBytes });
    if (copy !== undefined) copies.set(file.id, copy.id);
  }
  return copies;
}
