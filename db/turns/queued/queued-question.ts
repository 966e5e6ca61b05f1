import { AppError, notFound } from '../../../domain/core/app-error.ts';
import { type Message, MESSAGE_COLUMNS, MESSAGE_JOINS } from '../../chats/index.ts';
import type { TenantDatabase } from '../../core/index.ts';
import type { Membership } from '../../../domain/orgs/index.ts';

/** A message in a chat. */
export interface QuestionIds {
  readonly chatId: string;
  readonly messageId: string;
}

/** The condition on which `turns t` waits for a person's message to be answered. */
export const WAITS_FOR_PERSON = `t.status = 'queued' and t.parent_turn_id is null and t.task_id is null
    and t.run_id is null and not t.is_report`;

/**
 * Returns the question when it was withdrawn before. Otherwise throws why it neither can be withdrawn nor changed:
 * `not_found` for what is no message of the owner's, `conflict` for the rest.
 */
export async function findWithdrawn(
  { tenant }: TenantDatabase,
  { orgId, userId }: Membership,
  { chatId, messageId }: QuestionIds,
): Promise<Message> {
  const [row] = await tenant.query<Message & { isWithdrawn: boolean; isOpen: boolean; isPersons: boolean }>(orgId, {
    name: 'question-of-turn',
    text: `select ${MESSAGE_COLUMNS}, t.ended_at is null as "isOpen",
        m.role = 'user' and t.parent_turn_id is null and t.task_id is null and t.run_id is null and not t.is_report as "isPersons",
        exists (
          select from messages answer where answer.turn_id = t.id and answer.role = 'assistant' and answer.metadata -> 'withdrawn' = 'true'
        ) as "isWithdrawn"
      from messages m join turns t on t.id = m.turn_id join chats c on c.id = m.chat_id ${MESSAGE_JOINS}
      where m.id = $1 and m.chat_id = $2 and c.user_id = $3 and c.deleted_at is null`,
    values: [messageId, chatId, userId],
  });
  if (row === undefined) throw notFound('Message');
  const { isWithdrawn, isOpen, isPersons, ...message } = row;
  if (!isPersons) throw new AppError('conflict', 'Only a message that a person has sent can be changed or withdrawn');
  if (isWithdrawn) return message;
  const state = isOpen ? 'is being answered; stop the turn instead' : 'has been answered';
  throw new AppError('conflict', `The message ${state}`);
}
