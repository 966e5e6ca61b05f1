import { type Chat, type ChatReader, getChat } from '../../db/chats/chat.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

/** Returns a caller as a reader of chats. */
export function readerOf({ orgId, userId, policy }: OrgCaller): ChatReader {
  return { orgId, userId, seesShared: policyAllows(policy, 'chats.view_shared') };
}

/** Returns a chat of the caller's own. Throws 403 for a chat that the caller may only read, 404 for all others. */
export async function getOwnChat(
  { database }: Pick<ApiContext, 'database'>,
  caller: OrgCaller,
  chatId: string,
): Promise<Chat> {
  const chat = await getChat(database, readerOf(caller), chatId);
  if (chat.userId !== caller.userId) throw notOwned();
  return chat;
}

/**
 * Runs an operation that only the owner of a chat may do. Where it finds no chat of the caller's, this throws 403 if
 * the caller may read the chat, 404 otherwise.
 */
export async function asOwner<T>(
  { database }: Pick<ApiContext, 'database'>,
  caller: OrgCaller,
  chatId: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    const readable = await findReadable(database, caller, chatId);
    if (readable === undefined || readable.userId === caller.userId) throw error;
    throw notOwned();
  }
}

function notOwned(): AppError {
  return new AppError('forbidden', 'This chat is shared with you to read: only its owner writes in it and changes it');
}

async function findReadable(database: ApiContext['database'], caller: OrgCaller, chatId: string) {
  try {
    return await getChat(database, readerOf(caller), chatId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
