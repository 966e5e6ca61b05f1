import { NEW_MESSAGES } from '../../../domain/core/due-work.ts';
import { type Membership, orgLimitReached } from '../../../domain/orgs/index.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { changedContent, type Message, MESSAGE_COLUMNS, MESSAGE_JOINS } from '../../chats/index.ts';
import type { Database } from '../../core/index.ts';
import { noteChanged } from '../../search/index.ts';
import { findWithdrawn, type QuestionIds, WAITS_FOR_PERSON } from './queued-question.ts';

interface ChangedQuestion extends QuestionIds {
  readonly content: string;
  /** The organization's limit on messages, in bytes. */
  readonly maxBytes: number;
}

/**
 * Changes the text of a message that waits to be answered. `conflict` once its turn has begun: a turn is locked while
 * its question changes, so it begins with one text or the other. The search learns of it later.
 */
export async function changeQueuedQuestion(
  database: Pick<Database, 'tenant' | 'follow'>,
  owner: Membership,
  { chatId, messageId, content, maxBytes }: ChangedQuestion,
): Promise<Message> {
  const [changed] = await database.tenant.query<Message | { readonly id: null }>(owner.orgId, {
    name: 'change-queued-question',
    text: CHANGE,
    values: [messageId, chatId, owner.userId, owner.orgId, content, maxBytes],
  });
  if (changed === undefined) {
    await findWithdrawn(database, owner, { chatId, messageId });
    throw new AppError('conflict', 'The message was withdrawn');
  }
  if (changed.id === null) throw orgLimitReached('messageBytes', { messageBytes: maxBytes });
  await database.follow([{ dueWork: [NEW_MESSAGES] }]);
  return changed;
}

// The organization is that of the message: with the chat's, all chats of the owner would be read.
const CHANGE = `with t as materialized (
    select * from turns where id = (
      select m.turn_id from messages m join chats c on c.id = m.chat_id
      where m.id = $1 and m.role = 'user' and m.org_id = $4 and c.id = $2 and c.user_id = $3 and c.deleted_at is null
    ) for update
  ),
  waiting as materialized (select t.id from t where ${WAITS_FOR_PERSON}),
  ${changedContent('waiting', { messageId: '$1', content: '$5::text', maxBytes: '$6' })},
  noted as (${noteChanged('m')})
  select ${MESSAGE_COLUMNS} from waiting left join m on true ${MESSAGE_JOINS}`;
