import { findMembers } from '../../db/approvals/find-members.ts';
import { approvalReaderOf, getApproval } from '../../db/approvals/approvals.ts';
import type { ReceivingChannel } from '../../db/channels/channels.ts';
import { takeChannelEvent } from '../../db/channels/events.ts';
import { type ApprovalMessage, findMessageTo, storePosted } from '../../db/notifications/approval-messages.ts';
import { openDecisionLink } from '../../db/notifications/decision-link.ts';
import { findRecipient, type Recipient } from '../../db/notifications/find-recipient.ts';
import { updateMessage } from '../../db/webhooks/update-message.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { UsedButton, WantedDecision } from '../../domain/decision-buttons.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { inboxLink } from '../../domain/shown-approval.ts';
import { type Attempt, auditDenial, decideAs, problemOf } from '../approvals/decide-as.ts';
import type { ApiContext } from '../context/api-context.ts';

/** A button that was used in a channel. */
interface Used {
  readonly channel: ReceivingChannel;
  readonly button: UsedButton;
  readonly ip: string;
}

const ANOTHER_PERSON = 'This asks somebody else, or nobody any more.';
const FORBIDDEN = 'You may not decide about this any more.';
const SIGN_IN = 'Your organization wants you to sign in to decide';

/**
 * Decides in the name of the member whom a message of Slack asks, when it is them who have used its button: only the
 * database is asked, so that Slack has its answer in time. Somebody who may not is answered in the same thread; when it
 * was decided before, the message says so. Returns false for a button that asks nobody of this workspace, and for one
 * that the server has not made: whatever an agent posts as the app decides nothing.
 */
export async function decideByButton(context: ApiContext, { channel, button, ip }: Used): Promise<boolean> {
  const { database, box, publicUrl } = context;
  const { orgId, id: channelId } = channel;
  const asked = openDecisionLink(box, button.token, 'message');
  if (asked?.orgId !== orgId) return false;
  const { approvalId, userId } = asked;
  const message = await findMessageTo(database, orgId, { approvalId, channelId, userId });
  if (message !== undefined && message.team !== button.team) return false;
  if (message === undefined || !(await isRecognized(context, { channel, button, message }))) {
    await queueAnswer(context, { channel, button }, ANOTHER_PERSON);
    return true;
  }
  const attempt: Attempt = { orgId, userId, approvalId, by: 'channel', ip };
  const recipient = await findRecipient(database, { orgId, userId });
  if (recipient === undefined || !policyAllows(recipient.policy, 'approvals.manage')) {
    auditDenial(context, attempt);
    await queueAnswer(context, { channel, button }, FORBIDDEN);
  } else if (recipient.approvalsSignIn) {
    auditDenial(context, attempt);
    await queueAnswer(context, { channel, button }, `${SIGN_IN}: ${inboxLink(publicUrl, attempt)}`);
  } else await take(context, { channel, button, message, recipient, attempt });
  return true;
}

interface Asked extends Omit<Used, 'ip'> {
  readonly message: ApprovalMessage;
}

// The channel may have been set up again since the message was posted, and the member's address may have changed.
async function isRecognized({ database }: ApiContext, { channel, button, message }: Asked): Promise<boolean> {
  const named = new Map(Object.entries(channel.people)).get(button.person);
  if (named !== undefined) return named === message.userId;
  const { email, person, userId } = message;
  if (email === null || person !== button.person || !channel.matchesEmail) return false;
  const [member] = await findMembers(database, channel.orgId, [userId]);
  return member?.email === email && member.isKnownByEmail;
}

interface Allowed extends Asked {
  readonly recipient: Recipient;
  readonly attempt: Attempt;
}

async function take(context: ApiContext, { channel, button, message, recipient, attempt }: Allowed): Promise<void> {
  const { database } = context;
  const { orgId, approvalId } = attempt;
  // It may be one that was posted twice: the one in which they decide is to say so.
  await storePosted(database, orgId, message, button);
  try {
    const decision = await decisionOf(context, recipient, approvalId, button.wanted);
    await decideAs(context, recipient, attempt, decision);
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return updateMessage(database, orgId, message);
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    await queueAnswer(context, { channel, button }, problem);
  }
}

async function decisionOf({ database }: ApiContext, recipient: Recipient, approvalId: string, wanted: WantedDecision) {
  if (wanted.kind !== 'answer') return { approve: wanted.kind === 'approve', note: null };
  const { question } = await getApproval(database, approvalReaderOf(recipient), approvalId);
  const answer = question?.options?.[wanted.option];
  return { approve: true, note: null, ...(answer !== undefined && { answer }) };
}

// A worker posts it, since only workers call services. It is posted once, however often Slack delivers the click.
async function queueAnswer(
  { database, orgLimits: { channelBytes: maxBytes } }: ApiContext,
  { channel: { orgId, id: channelId }, button }: Omit<Used, 'ip'>,
  text: string,
): Promise<void> {
  const { person: sender, conversation: channel, thread, team, id } = button;
  const message = { channel, thread, sender, team, text, isNotice: true } as const;
  await takeChannelEvent(database, { orgId, channelId }, { id, message, maxBytes });
}
