/** A turn above a sub-agent: viewers of its chat are shown the steps of all sub-agents below. */
export interface AncestorTurn {
  readonly turnId: string;
  readonly chatId: string;
  readonly turnSeq: number;
  /** The `seq` of the turn before it in that chat, 0 when there is none. */
  readonly afterSeq: number;
}

/** The turns above `turns t`, root first, as JSON. */
export const ANCESTORS = `case when cardinality(t.ancestor_ids) = 0 then '[]' else (
    select json_agg(json_build_object('turnId', w.id, 'chatId', w.chat_id, 'turnSeq', w.seq, 'afterSeq',
        (select coalesce(max(p.seq), 0) from turns p where p.chat_id = w.chat_id and p.seq < w.seq))
      order by array_position(t.ancestor_ids, w.id))
    from turns w where w.id = any(t.ancestor_ids)
  ) end`;

/** The `seq` of the turn before `turns t` in its chat, 0 when there is none. */
export const AFTER_SEQ = `(select coalesce(max(p.seq), 0) from turns p where p.chat_id = t.chat_id and p.seq < t.seq)`;

/** Whether the chat of `turns t`, or one above it, has read text from outside: its text may repeat it. */
export const HAS_FOREIGN_TEXT = `exists (
    select from turns w join chats wc on wc.id = w.chat_id where w.id = any(t.ancestor_ids || t.id) and wc.has_foreign_text
  )`;

/** Whether `turns t` is to stop: it was asked to, or a turn above it was, or has ended. */
export const HAS_STOPPED = `(t.interrupt_requested_at is not null or (cardinality(t.ancestor_ids) > 0 and exists (
    select from turns w where w.id = any(t.ancestor_ids) and (w.interrupt_requested_at is not null or w.ended_at is not null)
  )))`;
