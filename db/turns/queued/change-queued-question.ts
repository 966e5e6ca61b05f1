import type { Membership } from '../../../domain/orgs/index.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { changeContent, type Message, tooManyMessages } from '../../chats/index.ts';
import { type Database, type Transaction, withSystemTransactionFor } from '../../core/index.ts';
import { enterAgain } from '../../search/index.ts';
import { findWithdrawn, type QuestionIds, WAITS_FOR_PERSON } from './queued-question.ts';

interface ChangedQuestion extends QuestionIds {
  readonly content: string;
  /** The organization's limit on messages, in bytes. */
  readonly maxBytes: number;
}

/**
 * Changes the text of a message that waits to be answered. `conflict` once its turn has begun: a turn is locked while
 * its question changes, so it begins with one text or the other.
 */
export async function changeQueuedQuestion(
  database: Database,
  owner: Membership,
  question: ChangedQuestion,
): Promise<Message> {
  const changed = await withSystemTransactionFor(database, owner.orgId, async (transaction) =>
    enterAgain(transaction, question.messageId, async () => change(transaction, owner, question)),
  );
  if (changed !== undefined) return changed;
  await findWithdrawn(database, owner, question);
  throw new AppError('conflict', 'The message was withdrawn');
}

async function change(
  transaction: Transaction,
  { orgId, userId }: Membership,
  { chatId, messageId, content, maxBytes }: ChangedQuestion,
): Promise<Message | undefined> {
  const { rows } = await transaction.query({
    name: 'lock-queued-question',
    // The organization is that of the message: with the owner's chat it would be looked for among all chats of the owner.
    text: `select from turns t
      where t.id = (
        select m.turn_id from messages m join chats c on c.id = m.chat_id
        where m.id = $1 and m.role = 'user' and m.org_id = $4 and c.id = $2 and c.user_id = $3 and c.deleted_at is null
      ) and ${WAITS_FOR_PERSON} for update`,
    values: [messageId, chatId, userId, orgId],
  });
  if (rows.length === 0) return undefined;
  const message = await changeContent(transaction, { messageId, content, maxBytes });
  if (message === undefined) throw tooManyMessages(maxBytes);
  return message;
}
