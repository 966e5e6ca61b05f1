import { hasRoomForMessages } from './usage/message-limit.ts';

interface ContentParameters {
  readonly messageId: string;
  readonly content: string;
  /** The organization's limit on messages, in bytes. */
  readonly maxBytes: string;
}

/**
 * Returns the part of a statement that changes the text of a message, and notes for `countUsage` by how much it has
 * grown: `m` is the changed message. It has no row when there is no row in `condition`, or the text is longer than
 * before and the organization has no room for messages.
 */
// The row is locked before it is measured, so that of two changes the second starts from the text of the first.
export const changedContent = (condition: string, { messageId, content, maxBytes }: ContentParameters) => `old as (
    select o.id, o.org_id, octet_length(${content}) - octet_length(o.content) as added
    from messages o where o.id = ${messageId} and exists (select from ${condition}) for no key update of o
  ),
  m as (
    update messages set content = ${content}, updated_at = now() from old
    where messages.id = old.id and (old.added <= 0 or ${hasRoomForMessages('old.org_id', maxBytes)}) returning messages.*
  ),
  grown as (
    insert into message_size_changes (org_id, written_at, bytes) select m.org_id, m.created_at, old.added from old, m
  )`;
