import type { Transaction } from '../core/index.ts';
import { enter, UNKNOWN_MESSAGE, type UnknownMessage } from './enter-messages.ts';

/**
 * Has the search find a message by its new text: runs `change`, and when it returned something, enters the message in
 * place of what was entered before. Nobody enters messages meanwhile.
 */
export async function enterAgain<T>(
  transaction: Transaction,
  messageId: string,
  change: () => Promise<T | undefined>,
): Promise<T | undefined> {
  await transaction.query({ name: 'wait-for-search-progress', text: 'select from search_progress for update' });
  const changed = await change();
  if (changed === undefined) return undefined;
  await transaction.query({
    name: 'forget-words',
    text: `with shared as (delete from shared_message_words where message_id = $1)
      delete from message_words where message_id = $1`,
    values: [messageId],
  });
  const { rows } = await transaction.query<UnknownMessage>({
    name: 'message-to-enter',
    text: `${UNKNOWN_MESSAGE} where m.id = $1`,
    values: [messageId],
  });
  await enter(transaction, rows);
  return changed;
}
