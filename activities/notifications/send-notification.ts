import { approvalReaderOf, type EditableApproval, getApproval } from '../../db/approvals/approvals.ts';
import { recordActs } from '../../db/audit.ts';
import type { Database } from '../../db/core/database.ts';
import { findConnection } from '../../db/integrations/connections.ts';
import { findMailService } from '../../db/notifications/find-mail-service.ts';
import { findRecipient, type Recipient } from '../../db/notifications/find-recipient.ts';
import { readBackground } from '../../db/notifications/read-background.ts';
import { sealDecisionLink } from '../../db/notifications/decision-link.ts';
import { APPROVAL_ACTIONS, BY_AGENT } from '../../domain/audit.ts';
import { hasApproved } from '../../domain/approvals.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { mayAnswer } from '../../domain/questions.ts';
import { inboxLink } from '../../domain/shown-approval.ts';
import { NOT_TAKEN, type Sent, TAKEN } from '../core/network/signed-post.ts';
import { type ReportDeps, sendWithin } from '../destinations/send-report.ts';
import { connectionsOf } from '../tools/operations/connections/open-connections.ts';
import { openServiceOf } from '../tools/operations/open-integration.ts';
import { mailOf } from './notification-mail.ts';

/** The dependencies of notifying people of what waits for them. */
export interface NotificationDeps extends ReportDeps {
  readonly database: ReportDeps['database'] & Pick<Database, 'system'>;
  /** The URL of the console. */
  readonly publicUrl: string;
}

/** A notification of one person about one approval. */
export interface DueNotification {
  readonly deliveryId: string;
  readonly orgId: string;
  readonly userId: string;
  readonly approvalId: string;
  readonly isReminder: boolean;
}

const LIMIT_MS = 90_000;
/** The result for what waits no longer. */
export const NOTHING: Sent = { ...TAKEN, error: 'Not sent: nothing waits for this person' };
const NO_INTEGRATION: Sent = {
  ...NOT_TAKEN,
  error: 'No administrator of the organization has added an SMTP integration',
  verdict: 'rejected',
};

/**
 * Mails a person what waits for their decision, once, with a link that leads to it. Nothing is sent when it waits no
 * longer, or when they may not decide about it any more. Never throws because of the receiver.
 */
export async function sendNotification(
  deps: NotificationDeps,
  due: DueNotification,
  signal: AbortSignal,
): Promise<Sent> {
  const { database } = deps;
  const { orgId, approvalId, deliveryId: key, isReminder } = due;
  const recipient = await findRecipient(database, due);
  const approval = recipient && (await findWaiting(database, recipient, approvalId));
  if (recipient?.wantsMail !== true || approval === undefined) return NOTHING;
  const integrationId = await findMailService(database, orgId);
  const found = integrationId && (await findConnection(database, { orgId, integrationId }));
  if (!found) return NO_INTEGRATION;
  const background = await readBackground(database, orgId, approval.chatId);
  if (background === undefined) return NOTHING;
  const link = linkOf(deps, recipient, approval);
  const mail = mailOf({ approval, recipient, background, link, isReminder, key });
  const sent = await sendWithin(LIMIT_MS, signal, async (limited): Promise<Sent> => {
    const service = await openServiceOf(deps, found, limited);
    await connectionsOf({ ...deps, signal: limited }).sendMail(service, mail);
    return TAKEN;
  });
  if (sent.isTaken) await auditNotified(database, { id: key, action: APPROVAL_ACTIONS.mail, approval, recipient });
  return sent;
}

/**
 * Returns what waits for the decision of somebody; undefined when nothing does, they have approved it already, or they
 * may not decide about it.
 */
export async function findWaiting(
  database: NotificationDeps['database'],
  recipient: Recipient,
  approvalId: string,
): Promise<EditableApproval | undefined> {
  if (!policyAllows(recipient.policy, 'approvals.manage')) return undefined;
  const approval = await findReadable(database, recipient, approvalId);
  if (approval?.status !== 'pending' || hasApproved(approval, recipient.userId)) return undefined;
  return approval.question === null || mayAnswer(approval, recipient) ? approval : undefined;
}

/** Returns an approval; undefined when there is none that they may read. */
export async function findReadable(
  database: NotificationDeps['database'],
  recipient: Recipient,
  approvalId: string,
): Promise<EditableApproval | undefined> {
  try {
    return await getApproval(database, approvalReaderOf(recipient), approvalId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function linkOf({ publicUrl, box }: NotificationDeps, recipient: Recipient, approval: EditableApproval): string {
  const { orgId, userId, approvalsSignIn } = recipient;
  const { id: approvalId, expiresAt } = approval;
  if (approvalsSignIn) return inboxLink(publicUrl, { orgId, approvalId });
  return `${publicUrl}/decide?token=${sealDecisionLink(box, { orgId, userId, approvalId, expiresAt }, 'mail')}`;
}

interface Notified {
  /** That of the delivery: what is sent again, because its worker was killed, has no second entry. */
  readonly id: string;
  readonly action: 'approvals.mail' | 'approvals.message' | 'approvals.push';
  readonly approval: EditableApproval;
  readonly recipient: Recipient;
}

/** Records in the audit log that somebody was notified of a pending approval. */
export async function auditNotified(
  database: NotificationDeps['database'],
  { id, action, approval, recipient }: Notified,
): Promise<void> {
  const { userId: actorId, agentId, id: recordId } = approval;
  const relatedIds = [recipient.userId, agentId];
  await recordActs(database, [{ id, action, actorId, orgId: recipient.orgId, recordId, relatedIds, ip: BY_AGENT }]);
}
