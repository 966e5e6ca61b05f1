import type { EditableApproval } from '../../db/approvals/approvals.ts';
import { findChannel, noteChannelError, type ReceivingChannel } from '../../db/channels/channels.ts';
import { findConnection, type IntegrationConnection } from '../../db/integrations/connections.ts';
import {
  type ApprovalMessage,
  claimApprovalMessage,
  findApprovalMessage,
  findDirectConversation,
  type ServicePerson,
  storePosted,
} from '../../db/notifications/approval-messages.ts';
import { sealDecisionLink } from '../../db/notifications/decision-link.ts';
import { findRecipient, type Recipient } from '../../db/notifications/find-recipient.ts';
import { readBackground } from '../../db/notifications/read-background.ts';
import { hasApproved } from '../../domain/approvals.ts';
import { APPROVAL_ACTIONS } from '../../domain/audit.ts';
import { accountOf } from '../../domain/channels.ts';
import { inboxLink } from '../../domain/shown-approval.ts';
import { findPerson } from '../channels/slack.ts';
import { NOT_TAKEN, type Sent, TAKEN } from '../core/network/signed-post.ts';
import { sendWithin } from '../destinations/send-report.ts';
import {
  callSlack,
  isMessageGone,
  NO_PREVIEWS,
  postMessage,
  slackTeamOf,
} from '../tools/builtin/communication/slack.ts';
import { openServiceOf } from '../tools/operations/open-integration.ts';
import type { Service } from '../tools/context.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import { askingMessage, decidedMessage, endedMessage, reminderText } from './approval-blocks.ts';
import {
  auditNotified,
  type DueNotification,
  findReadable,
  findWaiting,
  NOTHING,
  type NotificationDeps,
} from './send-notification.ts';

/** A message to one person about one approval, or what is to become of it. */
interface DueMessage extends DueNotification {
  readonly channelId: string;
  readonly targetId: string;
  /** Whether it is to show the current state. */
  readonly isUpdate: boolean;
}

const LIMIT_MS = 60_000;
const RESTS: Sent = {
  ...NOT_TAKEN,
  error: 'The channel is off, or its integration was changed or deleted: set the integration of the channel again',
  verdict: 'rejected',
};
const UNKNOWN: Sent = { ...NOT_TAKEN, error: 'Slack knows nobody by the address of this member', verdict: 'forbidden' };
const ANOTHER_ACCOUNT: Sent = {
  ...NOT_TAKEN,
  error: 'The integration of the channel was changed, and its account may be another one',
  verdict: 'forbidden',
};

/**
 * Asks a person by a channel to decide, once, reminds them of it, or updates the message that has asked them: who has
 * approved it of several, or the decision, after which it has no buttons any more. Never throws because of the service.
 */
export async function sendApprovalMessage(deps: NotificationDeps, due: DueMessage, signal: AbortSignal): Promise<Sent> {
  const { database } = deps;
  const { orgId, channelId, isUpdate, isReminder } = due;
  const stored = await findApprovalMessage(database, orgId, due);
  const isPosted = stored !== undefined && stored.posted !== null;
  // A killed worker may have posted a message that was not stored: its buttons find the approval all the same.
  if (isUpdate !== isPosted && !isReminder) return isUpdate ? NOTHING : TAKEN;
  const way = await findWay(deps, due);
  if (way === undefined) return RESTS;
  const sent = await sendWithin(LIMIT_MS, signal, async (limited) =>
    isPosted && !isReminder ? update(deps, stored, way, limited) : ask(deps, due, { ...way, stored }, limited),
  );
  if (sent.verdict !== 'forbidden') await noteChannelError(database, { orgId, channelId }, sent.error);
  return sent;
}

/** The channel that is posted by, and its integration. */
interface Way {
  readonly channel: ReceivingChannel;
  readonly found: IntegrationConnection;
}

async function findWay({ database }: NotificationDeps, { channelId }: DueMessage): Promise<Way | undefined> {
  const channel = await findChannel(database, channelId);
  const found = channel && (await findConnection(database, channel));
  return channel && found && { channel, found };
}

/** A way, and the message that has been posted by it; absent before that. */
interface WayToAsk extends Way {
  readonly stored: ApprovalMessage | undefined;
}

async function ask(deps: NotificationDeps, due: DueMessage, way: WayToAsk, signal: AbortSignal): Promise<Sent> {
  const { database } = deps;
  const { channel, found, stored } = way;
  const recipient = await findRecipient(database, due);
  const approval = recipient && (await findWaiting(database, recipient, due.approvalId));
  if (recipient === undefined || approval === undefined) return NOTHING;
  if (!channel.isActive || found.connection !== channel.connection) return RESTS;
  const service = await openServiceOf(deps, found, signal);
  const person = await findPerson(deps, channel, service, due.userId);
  if (person === undefined) return UNKNOWN;
  const asking = { service, person, recipient, approval };
  if (stored?.posted != null) return remind(deps, due, asking, { ...stored, posted: stored.posted });
  const { approvalId, targetId } = due;
  const claim = { ...person, approvalId, targetId, apiUrl: service.apiUrl, connection: found.connection };
  if (!(await claimApprovalMessage(database, due.orgId, claim))) return NOTHING;
  return post(deps, due, asking);
}

/** Whom a message asks, and by which service. */
interface Asking {
  readonly service: Service;
  readonly person: ServicePerson;
  readonly recipient: Recipient;
  readonly approval: EditableApproval;
}

async function post(deps: NotificationDeps, due: DueMessage, asking: Asking): Promise<Sent> {
  const { database } = deps;
  const { service, person, recipient, approval } = asking;
  const { orgId, deliveryId } = due;
  const message = await askingMessageTo(deps, recipient, approval);
  if (message === undefined) return NOTHING;
  const direct = await findDirectConversation(database, orgId, { ...due, chatId: approval.chatId });
  // The id of a person addresses the direct conversation with them.
  const { conversation: channel, thread } = direct ?? { conversation: person.person, thread: null };
  const json = { channel, ...message, ...NO_PREVIEWS, ...(thread !== null && { thread_ts: thread }) };
  const posted = await postMessage(service, json);
  await storePosted(database, orgId, due, { conversation: posted.channel, message: posted.ts });
  await auditNotified(database, { id: deliveryId, action: APPROVAL_ACTIONS.message, approval, recipient });
  return TAKEN;
}

/** A message that was posted. */
type PostedApproval = ApprovalMessage & { readonly posted: NonNullable<ApprovalMessage['posted']> };

/** Reminds a person of the message that has asked them, by an answer to it that a direct conversation shows, too. */
async function remind(
  { database }: NotificationDeps,
  due: DueMessage,
  { service, person, recipient, approval }: Asking,
  { posted, apiUrl, ...asked }: PostedApproval,
): Promise<Sent> {
  if (accountOf(service.apiUrl, person.team) !== accountOf(apiUrl, asked.team)) return ANOTHER_ACCOUNT;
  if (person.person !== asked.person) return UNKNOWN;
  const direct = await findDirectConversation(database, due.orgId, { ...due, chatId: approval.chatId });
  const thread = direct?.thread ?? null;
  const json = {
    channel: posted.conversation,
    text: reminderText(approval),
    ...NO_PREVIEWS,
    ...(thread === null ? { thread_ts: posted.message, reply_broadcast: true } : { thread_ts: thread }),
  };
  await postMessage(service, json);
  await auditNotified(database, { id: due.deliveryId, action: APPROVAL_ACTIONS.message, approval, recipient });
  return TAKEN;
}

/** Returns the message that asks somebody; undefined when its chat is gone. */
async function askingMessageTo(
  { database, box, publicUrl }: NotificationDeps,
  { orgId, userId, approvalsSignIn: isSignInNeeded }: Recipient,
  approval: EditableApproval,
) {
  const { id: approvalId, chatId, expiresAt } = approval;
  const background = await readBackground(database, orgId, chatId);
  if (background === undefined) return undefined;
  const link = inboxLink(publicUrl, { orgId, approvalId });
  // Agents can post as the app, too: what they post decides nothing.
  const token = sealDecisionLink(box, { orgId, userId, approvalId, expiresAt }, 'message');
  const asked = { approval, background, link, token, isSignInNeeded };
  return askingMessage({ ...asked, hasApproved: hasApproved(approval, userId) });
}

async function update(
  deps: NotificationDeps,
  stored: ApprovalMessage,
  { found }: Way,
  signal: AbortSignal,
): Promise<Sent> {
  const { posted, approvalId, userId, apiUrl, team, connection } = stored;
  const { database } = deps;
  const { orgId } = found;
  if (posted === null) return NOTHING;
  const service = await openServiceOf(deps, found, signal);
  if (
    connection !== found.connection &&
    accountOf(service.apiUrl, await slackTeamOf(service)) !== accountOf(apiUrl, team)
  )
    return ANOTHER_ACCOUNT;
  const recipient = await findRecipient(database, { orgId, userId });
  const approval = recipient && (await findReadable(database, recipient, approvalId));
  const message =
    recipient === undefined || approval === undefined
      ? endedMessage()
      : approval.status === 'pending'
        ? await askingMessageTo(deps, recipient, approval)
        : decidedMessage(approval);
  if (message === undefined) return NOTHING;
  const json = { channel: posted.conversation, ts: posted.message, ...message };
  try {
    await callSlack(service, { method: 'chat.update', json, effect: 'keyed' });
  } catch (error) {
    if (!isMessageGone(error) && !isConversationGone(error)) throw error;
  }
  return TAKEN;
}

function isConversationGone(error: unknown): boolean {
  return error instanceof ToolFailure && error.kind === 'not_found';
}
