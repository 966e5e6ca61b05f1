import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { ChannelEventStatus, ChannelMessage } from '../../domain/channels.ts';
import type { AnsweredMail } from '../../domain/inbound-mail.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { DueWork } from '../../domain/core/due-work.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { fairBatch, msUntil, OVERDUE } from '../core/sql.ts';
import { totalOfOwner } from '../orgs/require-room.ts';
import { purgeRows } from '../records/records.ts';

/** A channel of an organization. */
export interface ChannelRef {
  readonly orgId: string;
  readonly channelId: string;
}

/** Services repeat for some hours what was not accepted, and an abandoned answer may be sent again. */
const KEPT = "interval '14 days'";
/** The messages of a channel that may wait, and the mails, which are longer. */
const MAX_PENDING = 1_000;
const MAX_PENDING_MAILS = 100;
/** The messages of a channel that are remembered though they were not answered. */
const MAX_UNANSWERED = 5_000;
const IS_UNANSWERED = "status not in ('pending', 'accepted')";

/** A message as a service has delivered it. */
interface DeliveredMessage {
  readonly id: string;
  readonly message: ChannelMessage;
  /** A mail, and what an answer to it refers to; absent for other messages. */
  readonly mail?: { readonly answered: AnsweredMail; readonly bytes: Buffer };
  /**
   * Whether it asks to stop the answer, and so is handled before what waits, unless another one of its sender is: many
   * of one sender delay nobody else. False by default.
   */
  readonly isStop?: boolean;
}

interface Taken extends DeliveredMessage {
  /** The bytes that may wait in all channels of the owner's organizations together. */
  readonly maxBytes: number;
}

/**
 * Stores a message that a service has delivered, and has a worker handle it. Returns false when it was delivered
 * before. Throws `limit_reached` while too many wait: services deliver again later.
 */
export async function takeChannelEvent(
  { tenant, follow }: Pick<Database, 'tenant' | 'follow'>,
  { orgId, channelId }: ChannelRef,
  { id, message, mail, isStop = false, maxBytes }: Taken,
): Promise<boolean> {
  const answered = mail === undefined ? null : JSON.stringify(mail.answered);
  const maxPending = mail === undefined ? MAX_PENDING : MAX_PENDING_MAILS;
  const [taken] = await tenant.query<{ readonly isNew: boolean; readonly isFull: boolean }>(orgId, {
    name: 'take-channel-event',
    text: `with waiting as (
        select count(*) >= $9 or ${totalOfOwner('$2', 'channel_bytes')} >= $10 as is_full from (
          select from channel_events where channel_id = $3 and status = 'pending' limit $9
        ) pending
      ), taken as (
        insert into channel_events (id, org_id, channel_id, event_id, sender, message, mail, received, is_stop)
        select $1, $2, $3, $4, $5, $6, $7, $8, $11 and not exists (
          select from channel_events s where s.channel_id = $3 and s.status = 'pending' and s.is_stop and s.sender = $5
        ) from waiting where not is_full on conflict do nothing returning id
      )
      select exists (select from taken) as "isNew", is_full as "isFull" from waiting`,
    values: [
      uuidv7(),
      orgId,
      channelId,
      id,
      message.sender,
      JSON.stringify(message),
      answered,
      mail?.bytes ?? null,
      maxPending,
      maxBytes,
      isStop,
    ],
  });
  if (taken?.isFull === true)
    throw new AppError('limit_reached', 'Too many messages of this channel, or of others of its owner, wait');
  if (taken?.isNew !== true) return false;
  await follow([{ dueWork: [{ kind: 'channel', orgId, channelId }] }]);
  return true;
}

/** A message that is to be handled. */
export interface PendingEvent {
  readonly id: string;
  readonly message: ChannelMessage;
  /** The mail that an answer refers to; null for other messages. */
  readonly mail: AnsweredMail | null;
  readonly isStop: boolean;
  /** The attempts so far. */
  readonly tries: number;
  /** For how long it has been stored, in milliseconds. */
  readonly age: number;
  /** How long it is still to wait, in milliseconds. */
  readonly waitMs: number;
  readonly replyBegun: boolean;
  /** The message of the service that becomes the answer; null while there is none. */
  readonly reply: string | null;
}

/**
 * Returns the next message of a channel to handle: the first one that asks to stop and need not wait, or else the
 * oldest one; undefined when there is none.
 */
export async function nextChannelEvent(
  { tenant }: TenantDatabase,
  { orgId, channelId }: ChannelRef,
): Promise<PendingEvent | undefined> {
  const [event] = await tenant.query<PendingEvent>(orgId, {
    name: 'next-channel-event',
    text: `select id, message, mail, is_stop as "isStop", tries, extract(epoch from now() - received_at)::float8 * 1000 as age,
        ${msUntil('next_attempt_at')} as "waitMs", reply_begun as "replyBegun", reply
      from channel_events where channel_id = $1 and status = 'pending'
      order by is_stop and next_attempt_at <= now() desc, id limit 1`,
    values: [channelId],
  });
  return event;
}

/** Returns a mail as it was delivered; nothing once it was handled. */
export async function readReceivedMail({ tenant }: TenantDatabase, orgId: string, eventId: string): Promise<Buffer> {
  const [event] = await tenant.query<{ received: Buffer | null }>(orgId, {
    name: 'read-received-mail',
    text: 'select received from channel_events where id = $1',
    values: [eventId],
  });
  return event?.received ?? Buffer.alloc(0);
}

/** A file of a message that was added to a chat. */
interface AddedFile {
  readonly id: string;
  /** Its size; null when it is not in the given chat: it is in a former one, or was deleted. */
  readonly bytes: number | null;
}

/** Returns the files of a message that were added to chats, by their positions in it. */
export async function findAddedFiles(
  { tenant }: TenantDatabase,
  orgId: string,
  { eventId, chatId }: { readonly eventId: string; readonly chatId: string },
): Promise<ReadonlyMap<number, AddedFile>> {
  const rows = await tenant.query<AddedFile & { readonly position: number }>(orgId, {
    name: 'find-files-of-channel-event',
    text: `select added.key::int as position, added.value as id, f.bytes
      from channel_events e cross join lateral jsonb_each_text(e.files) added
        left join chat_files f on f.id = added.value::uuid and f.chat_id = $2 and f.is_stored
      where e.id = $1`,
    values: [eventId, chatId],
  });
  return new Map(rows.map(({ position, ...file }) => [position, file]));
}

/**
 * Records a file of a message in the transaction that adds it to the chat. Throws when another attempt has added it.
 */
export async function noteAddedFile(
  em: EntityManager,
  eventId: string,
  {
    position,
    fileId,
    former,
  }: { readonly position: number; readonly fileId: string; readonly former: string | undefined },
): Promise<void> {
  const noted = await em.execute<object[]>(
    `update channel_events set files = files || jsonb_build_object(?::text, ?::text)
      where id = ? and status = 'pending' and files ->> ?::text is not distinct from ?::text returning id`,
    [position, fileId, eventId, position, former ?? null],
  );
  if (noted.length === 0) throw new Error('another attempt has added the file of the message');
}

/**
 * Notes the result of a message, whose text is forgotten. Of those that were not answered the channel remembers the
 * newest.
 */
export async function endChannelEvent(
  { tenant }: TenantDatabase,
  { orgId }: ChannelRef,
  { id }: Pick<PendingEvent, 'id'>,
  status: Exclude<ChannelEventStatus, 'pending'>,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-channel-event',
    text: `with ended as (
        update channel_events set status = $2, message = null, received = null,
          mail = case when $2 = 'accepted' then mail end
        where id = $1 and status = 'pending' returning channel_id
      ),
      oldest as (
        select k.id, k.channel_id from channel_events k
        where $2 <> 'accepted' and k.channel_id = (select channel_id from ended) and k.${IS_UNANSWERED}
        order by k.id desc offset $3 limit 1
      )
      delete from channel_events old using oldest
      where old.channel_id = oldest.channel_id and old.id <= oldest.id and old.${IS_UNANSWERED}`,
    values: [id, status, MAX_UNANSWERED - 1],
  });
}

/** Ends the earlier messages of a sender in a thread that were not handled; returns the replies to them. */
export async function endEarlierEvents(
  { tenant }: TenantDatabase,
  { orgId, channelId }: ChannelRef,
  { id, message: { sender, channel, thread } }: Pick<PendingEvent, 'id' | 'message'>,
): Promise<readonly Pick<PendingEvent, 'reply'>[]> {
  return tenant.query<Pick<PendingEvent, 'reply'>>(orgId, {
    name: 'end-earlier-channel-events',
    text: `update channel_events set status = 'stopped', message = null, received = null, mail = null
      where channel_id = $1 and status = 'pending' and id < $2 and sender = $3 and message ->> 'channel' = $4
        and message ->> 'thread' is not distinct from $5 returning reply`,
    values: [channelId, id, sender, channel, thread],
  });
}

/** Counts an attempt that has failed, and has the message handled again after `waitMs`. */
export async function retryChannelEvent(
  { tenant }: TenantDatabase,
  { orgId }: ChannelRef,
  { id }: Pick<PendingEvent, 'id'>,
  waitMs: number,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'retry-channel-event',
    text: `update channel_events set tries = tries + 1, next_attempt_at = now() + $2 * interval '1 millisecond'
      where id = $1 and status = 'pending'`,
    values: [id, waitMs],
  });
}

/** By whom a message is answered. */
interface ReplyClaim {
  readonly id: string;
  /** That of the integration. */
  readonly connection: string;
  /** The account of the service that it belongs to, as `accountOf` names it; null when it is unknown. */
  readonly account: string | null;
}

/**
 * Claims the one attempt at posting the message that becomes the answer, which is posted by the same connection; false
 * when it was claimed before.
 */
export async function claimReply(
  { tenant }: TenantDatabase,
  { orgId }: ChannelRef,
  { id, connection, account }: ReplyClaim,
): Promise<boolean> {
  const claimed = await tenant.query(orgId, {
    name: 'claim-channel-reply',
    text: `update channel_events set reply_begun = true, connection = $2, account = $3
      where id = $1 and not reply_begun returning id`,
    values: [id, connection, account],
  });
  return claimed.length > 0;
}

/** Stores which message of the service becomes the answer. */
export async function storeReply(
  { tenant }: TenantDatabase,
  { orgId }: ChannelRef,
  id: string,
  reply: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-channel-reply',
    text: 'update channel_events set reply = $2 where id = $1',
    values: [id, reply],
  });
}

/** Returns whether a sender was turned away within the last day. */
export async function wasRefused(
  { tenant }: TenantDatabase,
  { orgId, channelId }: ChannelRef,
  sender: string,
): Promise<boolean> {
  const [row] = await tenant.query<{ wasRefused: boolean }>(orgId, {
    name: 'was-channel-sender-refused',
    text: `select exists (
        select from channel_events where channel_id = $1 and sender = $2 and status = 'refused'
          and received_at > now() - interval '1 day'
      ) as "wasRefused"`,
    values: [channelId, sender],
  });
  return row?.wasRefused ?? false;
}

/** The messages of one sender within an hour that may be those of a person. */
const MANY = 30;

/** Returns whether somebody has sent more to a channel within the last hour than a person writes. */
export async function hasSentMany(
  { tenant }: TenantDatabase,
  { orgId, channelId }: ChannelRef,
  sender: string,
): Promise<boolean> {
  const [row] = await tenant.query<{ hasSentMany: boolean }>(orgId, {
    name: 'has-channel-sender-sent-many',
    text: `select exists (
        select from (
          select received_at from channel_events where channel_id = $1 and sender = $2
          order by id desc offset ${MANY - 1} limit 1
        ) earlier where received_at > now() - interval '1 hour'
      ) as "hasSentMany"`,
    values: [channelId, sender],
  });
  return row?.hasSentMany ?? false;
}

/** Returns channels whose messages should have been handled by now, of all organizations. */
export async function findOverdueChannels({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<ChannelRef>({
    name: 'find-overdue-channels',
    text: fairBatch(`select org_id as "orgId", channel_id as "channelId" from channel_events
      where status = 'pending' and next_attempt_at < ${OVERDUE} group by 1, 2 order by min(next_attempt_at)`),
  });
  return rows.map((channel) => ({ kind: 'channel', ...channel }));
}

// A turn may wait for months for a decision, and its answer has to find the thread.
const IS_ANSWERED = `not exists (
    select from messages q join turns t on t.id = q.turn_id
    where q.client_message_id = 'channel ' || channel_events.id and q.client_message_id like 'channel %'
      and (t.ended_at is null or t.ended_at > now() - ${KEPT})
  )`;

/** Forgets messages that no service delivers again, and that were answered as long ago. */
export async function purgeChannelEvents(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'channel_events', `received_at < now() - ${KEPT} and ${IS_ANSWERED}`);
}
