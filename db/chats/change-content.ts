import type { Transaction } from '../core/index.ts';
import { type Message, MESSAGE_COLUMNS, MESSAGE_JOINS } from './messages.ts';
import { hasRoomForMessages } from './usage/message-limit.ts';

interface NewContent {
  readonly messageId: string;
  readonly content: string;
  /** The organization's limit on messages, in bytes. */
  readonly maxBytes: number;
}

/**
 * Changes the text of a message, and what its organization has stored with it. Returns `undefined` when the text is
 * longer than before and the organization has no room for messages.
 */
export async function changeContent(
  transaction: Transaction,
  { messageId, content, maxBytes }: NewContent,
): Promise<Message | undefined> {
  const { rows } = await transaction.query<Message>({
    name: 'change-content',
    text: CHANGE,
    values: [messageId, content, maxBytes],
  });
  return rows[0];
}

// Only what was counted changes: a message is counted a while after it was written, as it is then.
const CHANGE = `with old as (
    select o.id, o.org_id, octet_length($2) - octet_length(o.content) as added,
      o.created_at < (select counted_until from usage_count) as is_counted
    from messages o where o.id = $1
  ),
  m as (
    update messages set content = $2, updated_at = now() from old
    where messages.id = old.id and (old.added <= 0 or ${hasRoomForMessages('old.org_id', '$3')}) returning messages.*
  ),
  counted as (
    update org_usage u set message_bytes = greatest(0, u.message_bytes + old.added) from old, m
    where u.org_id = old.org_id and old.is_counted
  )
  select ${MESSAGE_COLUMNS} from m ${MESSAGE_JOINS}`;
