import { getTask } from '../../db/tasks/tasks.ts';
import { asOwner, readerOf } from '../chats/own-chat.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

/**
 * Runs a change of a task that only the owner of its chat may make. Throws 403 for somebody who may only read the task,
 * 404 for all others.
 */
export async function changeOwn<T>(
  context: Pick<ApiContext, 'database'>,
  caller: OrgCaller,
  id: string,
  change: () => Promise<T>,
): Promise<T> {
  const { chatId } = await getTask(context.database, readerOf(caller), { id });
  return asOwner(context, caller, chatId, change);
}

/** Rejects who is not the owner of the chat of a task, as `changeOwn` does. */
export async function requireOwnTask(
  context: Pick<ApiContext, 'database'>,
  caller: OrgCaller,
  id: string,
): Promise<void> {
  const owner = { ...readerOf(caller), seesShared: false };
  await changeOwn(context, caller, id, async () => getTask(context.database, owner, { id }));
}
