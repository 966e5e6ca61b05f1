import { z } from 'zod';
import { parseJsonText } from '../../domain/core/objects.ts';
import type { Statement } from '../core/sql-pool.ts';

/** The channel on which workers learn at once of turns to begin or continue. A hint only: the rows decide. */
export const READY_CHANNEL = 'turn_ready';

/** A turn that waits to be claimed. */
export interface ReadyTurn {
  readonly orgId: string;
  readonly chatId: string;
  readonly seq: number;
  /** Whether the chat's previous turn is open or ended a moment ago: its conversation may still be open. */
  readonly isFollowUp: boolean;
}

/**
 * Returns the statement that announces a turn, once it is stored. A transaction of its own: one that also wrote durably
 * would hold the lock of all notifications until it is on disk.
 */
export function announceReady(turnId: string): Statement {
  return {
    name: 'announce-ready-turn',
    isHint: true,
    text: `select pg_notify('${READY_CHANNEL}', json_build_array(t.org_id, t.chat_id, t.seq, coalesce((
        select p.ended_at is null or p.ended_at > now() - interval '30 seconds'
        from turns p where p.chat_id = t.chat_id and p.seq < t.seq order by p.seq desc limit 1
      ), false))::text)
      from turns t where t.id = $1 and t.status = 'queued'`,
    values: [turnId],
  };
}

/**
 * The statement that notifies workers that waiting turns have become due; they find them in the rows. It is sent after
 * the one that made them due.
 */
export const ANNOUNCE_DUE: Statement = {
  name: 'announce-due-turns',
  isHint: true,
  text: `select pg_notify('${READY_CHANNEL}', '')`,
  values: [],
};

const payload = z.tuple([z.string(), z.string(), z.number(), z.boolean()]);

/** Reads the payload of a notification; `undefined` when it is none of `announceReady`. */
export function readReadyTurn(text: string): ReadyTurn | undefined {
  const { data } = payload.safeParse(parseJsonText(text));
  if (data === undefined) return undefined;
  const [orgId, chatId, seq, isFollowUp] = data;
  return { orgId, chatId, seq, isFollowUp };
}
