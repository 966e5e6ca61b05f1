import type { Database, TenantDatabase } from '../core/database.ts';
import { deliveriesTo } from '../webhooks/notify-webhook.ts';
import type { MessageRef } from '../webhooks/update-message.ts';

/** A member in a service, as they were known when they were asked there. */
export interface ServicePerson {
  /** The person's id at the service. */
  readonly person: string;
  /** The address by which they were recognized; null where the channel names them. */
  readonly email: string | null;
  /** Their workspace. */
  readonly team: string;
}

/** Where a message is in a service. */
interface PostedMessage {
  readonly conversation: string;
  readonly message: string;
}

/** A message of a channel by which a member is asked for a decision. */
export interface ApprovalMessage extends MessageRef, ServicePerson {
  readonly userId: string;
  /** The address of the service. */
  readonly apiUrl: string;
  /** That of the integration which it was posted with. */
  readonly connection: string;
  /** Null until it was posted. */
  readonly posted: PostedMessage | null;
}

const MESSAGE = `select m.approval_id as "approvalId", m.target_id as "targetId", w.member_id as "userId", m.person, m.email, m.team,
    m.api_url as "apiUrl", m.connection,
    case when m.message is not null then json_build_object('conversation', m.conversation, 'message', m.message) end as posted
  from approval_messages m join webhook_targets w on w.id = m.target_id`;

/** Returns the message about an approval to a member by a channel; undefined while there is none. */
export async function findApprovalMessage(
  { tenant }: TenantDatabase,
  orgId: string,
  { approvalId, targetId }: MessageRef,
): Promise<ApprovalMessage | undefined> {
  const [found] = await tenant.query<ApprovalMessage>(orgId, {
    name: 'find-approval-message',
    text: `${MESSAGE} where m.approval_id = $1 and m.target_id = $2`,
    values: [approvalId, targetId],
  });
  return found;
}

/** A member who is asked by a channel. */
interface AskedMember {
  readonly approvalId: string;
  readonly channelId: string;
  readonly userId: string;
}

/** Returns the message about an approval that asks a member; undefined when none asks them. */
export async function findMessageTo(
  { tenant }: TenantDatabase,
  orgId: string,
  { approvalId, channelId, userId }: AskedMember,
): Promise<ApprovalMessage | undefined> {
  const [found] = await tenant.query<ApprovalMessage>(orgId, {
    name: 'find-approval-message-to',
    text: `${MESSAGE} where m.approval_id = $1 and w.channel_id = $2 and w.member_id = $3`,
    values: [approvalId, channelId, userId],
  });
  return found;
}

/**
 * Records whom a message asks before it is posted. Returns false when nothing waits for a decision any more: from then
 * on the end of the approval updates the message.
 */
export async function claimApprovalMessage(
  { tenant }: TenantDatabase,
  orgId: string,
  { approvalId, targetId, person, email, team, apiUrl, connection }: Omit<ApprovalMessage, 'userId' | 'posted'>,
): Promise<boolean> {
  const claimed = await tenant.query(orgId, {
    name: 'claim-approval-message',
    // Waits for a decision that is being stored.
    text: `with waiting as (select id, org_id from approvals where id = $1 and status = 'pending' for share)
      insert into approval_messages as m (approval_id, target_id, org_id, person, email, team, api_url, connection)
      select id, $2, org_id, $3, $4, $5, $6, $7 from waiting
      on conflict (approval_id, target_id) do update set person = $3, email = $4, team = $5, api_url = $6, connection = $7
      returning m.approval_id`,
    values: [approvalId, targetId, person, email, team, apiUrl, connection],
  });
  return claimed.length > 0;
}

/** Stores where a message was posted. */
export async function storePosted(
  { tenant }: TenantDatabase,
  orgId: string,
  { approvalId, targetId }: MessageRef,
  { conversation, message }: PostedMessage,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-approval-message',
    text: `update approval_messages set conversation = $3, message = $4
      where approval_id = $1 and target_id = $2 and (conversation, message) is distinct from ($3, $4)`,
    values: [approvalId, targetId, conversation, message],
  });
}

/** Updates the messages about a decided approval at once. */
export async function followDecision(
  { tenant, follow }: Pick<Database, 'tenant' | 'follow'>,
  orgId: string,
  approvalId: string,
): Promise<void> {
  const rows = await tenant.query<{ readonly targetId: string }>(orgId, {
    name: 'targets-of-approval',
    text: 'select target_id as "targetId" from approval_messages where approval_id = $1',
    values: [approvalId],
  });
  const targetIds = rows.map(({ targetId }) => targetId);
  await follow([{ dueWork: deliveriesTo(orgId, targetIds) }]);
}

/** A direct conversation with an agent. */
interface DirectConversation {
  readonly conversation: string;
  readonly thread: string | null;
}

/** Returns the direct conversation of a channel in which somebody has a chat; undefined when it is elsewhere. */
export async function findDirectConversation(
  { tenant }: TenantDatabase,
  orgId: string,
  { chatId, userId, channelId }: { readonly chatId: string; readonly userId: string; readonly channelId: string },
): Promise<DirectConversation | undefined> {
  const [found] = await tenant.query<DirectConversation>(orgId, {
    name: 'find-direct-conversation',
    text: `select t.channel as conversation, t.thread from channel_threads t
      where t.chat_id = (select case when c.root_chat_id is null then c.id else c.root_chat_id end from chats c where c.id = $1)
        and t.user_id = $2 and t.channel_id = $3 and t.channel like 'D%'`,
    values: [chatId, userId, channelId],
  });
  return found;
}
