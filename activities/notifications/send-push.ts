import { SignJWT } from 'jose';
import type { EditableApproval } from '../../db/approvals/approvals.ts';
import { type PushKey, readPushKey } from '../../db/installation.ts';
import { findRecipient, type Recipient } from '../../db/notifications/find-recipient.ts';
import { findPushAddress, notePushed } from '../../db/push-subscriptions.ts';
import { APPROVAL_ACTIONS } from '../../domain/audit.ts';
import { plainLine } from '../../domain/core/text.ts';
import { showHidden } from '../../domain/core/visible.ts';
import { inboxLink, leadOf, subjectOf } from '../../domain/shown-approval.ts';
import { postOnce, type Sent } from '../core/network/signed-post.ts';
import { encryptForBrowser } from './push-message.ts';
import {
  auditNotified,
  type DueNotification,
  findWaiting,
  NOTHING,
  type NotificationDeps,
} from './send-notification.ts';

/** A notification of one person about one approval, in one browser. */
interface DuePush extends DueNotification {
  readonly subscriptionId: string;
}

/** The longest that services keep a message for a browser that is off, in seconds. */
const MAX_KEPT_SECONDS = 28 * 24 * 60 * 60;
/** How long the signature of a message is valid; services take up to 24 hours. */
const SIGNED_FOR = '12 hours';
const MAX_TITLE = 150;
const MAX_BODY = 200;
/** The statuses by which services report that a subscription has ended. */
const HAS_ENDED: ReadonlySet<number | null> = new Set([404, 410]);

/**
 * Notifies a person in one of their browsers of what waits for their decision, with a link that leads to it. Nothing is
 * sent when it waits no longer, or when they may not decide about it any more. Returns undefined when the subscription
 * has ended. Never throws because of the service.
 */
export async function sendPush(deps: NotificationDeps, due: DuePush, signal: AbortSignal): Promise<Sent | undefined> {
  const { database, box, http, publicUrl } = deps;
  const { subscriptionId, userId, approvalId, deliveryId, isReminder } = due;
  const recipient = await findRecipient(database, due);
  const approval = recipient && (await findWaiting(database, recipient, approvalId));
  const address = await findPushAddress(database, userId, subscriptionId);
  if (recipient === undefined || approval === undefined || address === undefined) return NOTHING;
  const { endpoint } = address;
  const headers = {
    authorization: await authorizationOf(await readPushKey(database, box), publicUrl, endpoint),
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    ttl: String(secondsLeft(approval)),
    urgency: 'high',
    // A message that was not shown yet is replaced by the next one about the same approval.
    topic: approvalId.replaceAll('-', ''),
  };
  const body = encryptForBrowser(JSON.stringify(contentOf(recipient, approval, isReminder)), address);
  const sent = await postOnce(http, { url: endpoint, headers, body }, signal);
  const isGone = HAS_ENDED.has(sent.status);
  await notePushed(database, subscriptionId, { isGone, error: sent.error });
  if (sent.isTaken)
    await auditNotified(database, { id: deliveryId, action: APPROVAL_ACTIONS.push, approval, recipient });
  return isGone ? undefined : sent;
}

/** Returns what the service worker of the console shows: no arguments, which are shown where they are decided about. */
function contentOf({ orgId, orgName }: Recipient, approval: EditableApproval, isReminder: boolean) {
  const lead = isReminder ? `Reminder: ${leadOf({ ...approval, escalatedAt: null })}` : leadOf(approval);
  return {
    title: plainLine(showHidden(lead), MAX_TITLE),
    body: `${plainLine(showHidden(subjectOf(approval)), MAX_BODY)}\n${plainLine(showHidden(orgName), MAX_BODY)}`,
    tag: approval.id,
    path: inboxLink('', { orgId, approvalId: approval.id }),
  };
}

function secondsLeft({ expiresAt }: EditableApproval): number {
  return Math.min(MAX_KEPT_SECONDS, Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000)));
}

/** Returns the header that authenticates the sender at a push service (RFC 8292). */
async function authorizationOf({ publicKey, privateKey }: PushKey, publicUrl: string, endpoint: string) {
  const { protocol, hostname } = new URL(publicUrl);
  const token = await new SignJWT()
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(SIGNED_FOR)
    // Services take an https URL or an address, and reject others.
    .setSubject(protocol === 'https:' ? publicUrl : `mailto:operator@${hostname}`)
    .sign(privateKey);
  return `vapid t=${token}, k=${publicKey}`;
}
