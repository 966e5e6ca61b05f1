import type { TenantDatabase } from '../core/database.ts';
import { EVENT_OF_QUESTION } from './threads.ts';

/** A turn of an organization. */
export interface TurnOfThread {
  readonly orgId: string;
  readonly turnId: string;
}

/** The message of a service that becomes the answer of a turn. */
export interface EditedReply {
  readonly chatId: string;
  /** The event that the turn answers. */
  readonly eventId: string;
  readonly channelId: string;
  /** Null if the integration was deleted. */
  readonly integrationId: string | null;
  /** That of the integration by which the question was received. */
  readonly connection: string;
  /** The conversation in the service, and the message in it. */
  readonly channel: string;
  readonly reply: string;
  /** How often it was edited. */
  readonly edits: number;
}

/** Returns the message of Slack that becomes the answer of a turn; undefined when there is none. */
export async function findEditedReply(
  { tenant }: TenantDatabase,
  { orgId, turnId }: TurnOfThread,
): Promise<EditedReply | undefined> {
  const [reply] = await tenant.query<EditedReply>(orgId, {
    name: 'find-edited-reply',
    text: `select t.chat_id as "chatId", e.id as "eventId", n.id as "channelId", n.integration_id as "integrationId",
        e.connection, h.channel, e.reply, e.edits
      from turns t join messages q on q.turn_id = t.id and q.role = 'user'
        join channel_events e on e.id = ${EVENT_OF_QUESTION}
        join channel_threads h on h.chat_id = t.chat_id and h.channel_id = e.channel_id
        join channels n on n.id = e.channel_id
      where t.id = $1 and n.kind = 'slack' and e.reply is not null`,
    values: [turnId],
  });
  return reply;
}

/** Slack accepts some 50 edits a minute; the rest is for the answers themselves. */
const PAUSE = "interval '2 seconds'";
/** Longer than an edit may take: its request ends before. */
const LEASE = "interval '10 seconds'";

/**
 * Claims an edit of a reply while its turn is running: one at a time, and not sooner than its channel may edit again.
 * Returns the number of edits with this one; undefined when none is allowed now. The turn cannot end before the claim
 * is stored, so the delivery of its answer finds it.
 */
export async function claimEdit(
  { tenant }: TenantDatabase,
  { orgId, turnId }: TurnOfThread,
  { eventId, channelId }: Pick<EditedReply, 'eventId' | 'channelId'>,
): Promise<number | undefined> {
  const [claimed] = await tenant.query<Pick<EditedReply, 'edits'>>(orgId, {
    name: 'claim-channel-edit',
    text: `with running as (
        select from turns t join chats c on c.id = t.chat_id
        where t.id = $1 and t.status = 'running' and t.interrupt_requested_at is null and c.deleted_at is null
        for share of t
      ),
      admitted as (
        update channels n set next_edit_at = now() + ${PAUSE} from running
        where n.id = $2 and n.next_edit_at <= now() returning n.id
      )
      update channel_events e set edits = e.edits + 1, edit_until = now() + ${LEASE} from admitted
      where e.id = $3 and e.channel_id = admitted.id and coalesce(e.edit_until <= now(), true) returning e.edits`,
    values: [turnId, channelId, eventId],
  });
  return claimed?.edits;
}

/** Notes that the claimed edit has ended. */
export async function endEdit(
  { tenant }: TenantDatabase,
  orgId: string,
  { eventId, edits }: Pick<EditedReply, 'eventId' | 'edits'>,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-channel-edit',
    text: 'update channel_events set edit_until = null where id = $1 and edits = $2',
    values: [eventId, edits],
  });
}

/** Suspends the edits of a channel's answers for `waitMs`. */
export async function deferEdits(
  { tenant }: TenantDatabase,
  orgId: string,
  channelId: string,
  waitMs: number,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'defer-channel-edits',
    text: `update channels set next_edit_at = greatest(next_edit_at, now() + $2 * interval '1 millisecond') where id = $1`,
    values: [channelId, waitMs],
  });
}
