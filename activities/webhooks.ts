import { cancellationSignal } from '@temporalio/activity';
import type { Database } from '../db/core/database.ts';
import { UnreadableSecret } from '../db/core/secret-box.ts';
import { memberMay } from '../db/permissions/member-may.ts';
import {
  type Batch,
  beginAttempt,
  endDelivery,
  giveUpDelivery,
  pauseWebhook,
  postpone,
  rest,
  restPaused,
  retryDelivery,
} from '../db/webhooks/attempts.ts';
import {
  type Delivery,
  nextDelivery,
  readSubject,
  restOfDigest,
  type TargetRef,
  type WaitingReport,
  type WebhookOwner,
  type WebhookTarget,
} from '../db/webhooks/next-delivery.ts';
import { signingSecrets } from '../db/webhooks/set-webhook.ts';
import { queueTurnState } from '../db/webhooks/push-configs.ts';
import type { WorkOf } from '../domain/core/due-work.ts';
import { KeyedSemaphore } from '../domain/core/keyed-semaphore.ts';
import { endOfDigest, nextSending } from '../domain/sending-times.ts';
import { meter } from '../domain/telemetry/meter.ts';
import { MAX_SENT_CHARACTERS, payloadOf, waitAfterFailure } from '../domain/webhooks.ts';
import type { StepsResult } from '../workflows/due-work/contract.ts';
import { sendTaskState } from './a2a/send-task-state.ts';
import { deliverReport, type DeliverReportDeps } from './destinations/deliver-report.ts';
import { sendAnswer } from './destinations/send-answer.ts';
import { NoFreeSlot } from './core/failure-interceptor.ts';
import { sendApprovalMessage } from './notifications/send-approval-message.ts';
import { sendNotification } from './notifications/send-notification.ts';
import { sendPush } from './notifications/send-push.ts';
import { KEY_LOST, NOT_TAKEN, postSigned, type Sent } from './core/network/signed-post.ts';
import { isPassing } from './core/passing-error.ts';

/** The dependencies of sending deliveries to targets. */
export interface WebhookDeps extends DeliverReportDeps {
  readonly database: Database;
}

/** How long one activity runs. */
const BUDGET_MS = 20_000;
/** How many deliveries in a row are abandoned before a target is paused. */
const MAX_FAILURES = 5;
/**
 * The targets to which a process sends at once. One that never answers keeps its slot for as long as an attempt may
 * take, and many of them must not take what turns and other targets need.
 */
const SLOTS = { perKey: 10, total: 100, maxWaiting: 0 };
/** How long a target waits while there is no slot for it, in milliseconds. */
const slotWaitMs = () => 2_000 + Math.ceil(2_000 * Math.random());
const NOT_ALLOWED = 'Who has set it is no longer a member of the organization, or may not set webhooks any more';
const MAY_NOT_REPORT =
  'Who has set it is no longer a member of the organization, or may not use destinations any more. Set the deliveries again, or send it again yourself';
const IS_GONE = 'The receiver answered with status 410: it wants no more deliveries';
const CHAT_IS_DELETED = 'Its chat was deleted before it was sent';
const TASK_IS_CLOSED = 'Its chat was deleted before it was sent, or its agent is not published any more';
const FAULT = 'It could not be sent because of an internal error';
const IS_DEAD = `${MAX_FAILURES} deliveries in a row could not be made`;

/**
 * Makes the activity that sends the deliveries of a target, one after the other. Their contents are in the rows; the
 * history has only whether there are more, and how long to wait.
 */
export function createDeliverNext(deps: WebhookDeps) {
  const slots = new KeyedSemaphore({ ...SLOTS, createError: () => new NoFreeSlot() });
  return async function deliverNext(input: WorkOf<'webhook'>): Promise<StepsResult> {
    const signal = cancellationSignal();
    const payer = await deps.database.payers.of(input.orgId);
    try {
      return await slots.run(payer, async () => deliverWaiting(deps, input, signal));
    } catch (error) {
      if (error instanceof NoFreeSlot) return { hasEnded: false, waitMs: slotWaitMs() };
      throw error;
    }
  };
}

/** Delivers what there is for some time. */
export async function deliverWaiting(deps: WebhookDeps, ref: TargetRef, signal: AbortSignal): Promise<StepsResult> {
  const end = performance.now() + BUDGET_MS;
  while (!signal.aborted && performance.now() < end) {
    const target = await nextDelivery(deps.database, ref);
    if (target === undefined) {
      if (await restPaused(deps.database, ref)) return { hasEnded: true, waitMs: 0 };
      continue;
    }
    // A retry sends the state that the turn is in by then.
    if (target.owner.kind === 'turn' && (await queueTurnState(deps.database, ref))) continue;
    const { next } = target;
    if (next === undefined) {
      if (await rest(deps.database, ref, target)) return { hasEnded: true, waitMs: 0 };
      continue;
    }
    const waitMs = Math.ceil(Math.max(next.waitMs, deferredMs(target, next)));
    if (waitMs === 0)
      await deliver(deps, ref, { target, batch: await batchOf(deps.database, ref, target, next) }, signal);
    else if (await postpone(deps.database, ref, { ...target, waitMs })) return { hasEnded: false, waitMs };
  }
  return { hasEnded: false, waitMs: 0 };
}

/** Returns how long a destination still collects reports with the next one, or has quiet hours. */
function deferredMs({ destination }: WebhookTarget, { queuedAt }: Delivery): number {
  if (destination === null) return 0;
  const now = new Date();
  const times = [endOfDigest(destination, queuedAt), nextSending(destination, now)];
  return Math.max(...times.map((time) => time.getTime() - now.getTime()));
}

interface Due {
  readonly target: WebhookTarget;
  readonly batch: Batch;
}

/** Makes one attempt at a delivery, and records its result. */
async function deliver(deps: WebhookDeps, ref: TargetRef, due: Due, signal: AbortSignal): Promise<void> {
  try {
    await attempt(deps, ref, due, signal);
  } catch (error) {
    if (signal.aborted || isPassing(error)) throw error;
    const { database } = deps;
    if (error instanceof UnreadableSecret) return note(database, ref, due, { ...NOT_TAKEN, error: KEY_LOST });
    await note(database, ref, due, { ...NOT_TAKEN, error: FAULT });
    // Logged, and attempted again as after a failure of the receiver.
    throw error;
  }
}

async function attempt(deps: WebhookDeps, ref: TargetRef, due: Due, signal: AbortSignal): Promise<void> {
  const { database } = deps;
  const { target, batch } = due;
  const { owner, userId } = target;
  // Destinations and channels are the organization's, whoever has added them, and the rights of a member are checked
  // with each mail. A member who has set another address would otherwise still be notified after leaving.
  if (SET_BY_USERS.has(owner.kind) && !(await memberMay(database, { orgId: owner.orgId, userId }, 'webhooks.manage')))
    return pauseWebhook(database, ref, target, NOT_ALLOWED);
  if (!(await beginAttempt(database, ref, batch))) return;
  const sent = await send(deps, ref, due, signal);
  // With its subject the delivery goes, too.
  if (sent !== undefined) await note(database, ref, due, sent);
}

const SET_BY_USERS: ReadonlySet<WebhookOwner['kind']> = new Set(['chat', 'workflow', 'schedule', 'turn']);

/** Returns the delivery that is next, with the reports of its digest that may be sent. */
async function batchOf(database: Database, ref: TargetRef, target: WebhookTarget, next: Delivery): Promise<Batch> {
  const { owner, destination } = target;
  if (destination === null || destination.digestMinutes === null || !isReport(next)) return [next];
  // It is abandoned by itself.
  if ((await obstacleTo(database, owner, next)) !== undefined) return [next];
  const rest = await restOfDigest(database, ref, next, endOfDigest(destination, next.queuedAt));
  const allowed: WaitingReport[] = [];
  // One at a time: all organizations share the connections.
  for (const other of rest) if ((await obstacleTo(database, owner, other)) === undefined) allowed.push(other);
  return [next, ...allowed];
}

async function send(
  deps: WebhookDeps,
  { targetId }: TargetRef,
  { target, batch }: Due,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { database, box, http } = deps;
  const { url, owner, destination, thread } = target;
  const [next] = batch;
  const { id: deliveryId, messageId, approvalId, turnId } = next;
  if (turnId !== null) {
    const sent = await sendTaskState(deps, { deliveryId, turnId, target }, signal);
    return sent ?? { ...NOT_TAKEN, error: TASK_IS_CLOSED, verdict: 'forbidden' };
  }
  if (thread !== null && messageId !== null)
    return sendAnswer(deps, { ...next, messageId, orgId: owner.orgId, thread }, signal);
  if (destination !== null && isReport(next)) {
    const obstacle = await obstacleTo(database, owner, next);
    if (obstacle !== undefined) return { ...NOT_TAKEN, error: obstacle, verdict: 'forbidden' };
    return deliverReport(deps, { reports: batch.filter(isReport), destination, target }, signal);
  }
  if (approvalId !== null) return notifyMember(deps, { ...next, approvalId, targetId, target }, signal);
  const subject = await readSubject(database, owner.orgId, next, MAX_SENT_CHARACTERS);
  if (subject === undefined) return undefined;
  const secrets = target.secrets.map((sealed) => signingSecrets.open(box, owner, sealed));
  return postSigned(http, { deliveryId, url: url ?? '', body: payloadOf(deliveryId, subject), secrets }, signal);
}

/** A notification of a member about an approval, and its target. */
interface MembersDelivery extends Pick<Delivery, 'id' | 'isReminder' | 'isUpdate'> {
  readonly approvalId: string;
  readonly targetId: string;
  readonly target: WebhookTarget;
}

async function notifyMember(
  deps: WebhookDeps,
  { id: deliveryId, approvalId, isReminder, isUpdate, targetId, target }: MembersDelivery,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { owner, channelId, pushSubscriptionId: subscriptionId } = target;
  const due = { deliveryId, orgId: owner.orgId, userId: owner.id, approvalId, isReminder };
  if (subscriptionId !== null) return sendPush(deps, { ...due, subscriptionId }, signal);
  if (channelId === null) return sendNotification(deps, due, signal);
  return sendApprovalMessage(deps, { ...due, channelId, targetId, isUpdate }, signal);
}

const isReport = (delivery: Delivery): delivery is WaitingReport => delivery.report !== null;

/** Returns why a report is not to be sent; undefined when it is. */
async function obstacleTo(
  database: Database,
  { orgId }: WebhookOwner,
  { isOfDeletedChat, report: { userId, missed } }: WaitingReport,
): Promise<string | undefined> {
  if (isOfDeletedChat) return CHAT_IS_DELETED;
  // That a schedule has not run says nothing of a run, and is reported when its owner has left, too.
  const isAllowed = missed !== null || (await memberMay(database, { orgId, userId }, 'integrations.view'));
  return isAllowed ? undefined : MAY_NOT_REPORT;
}

async function note(database: Database, ref: TargetRef, { target, batch }: Due, sent: Sent): Promise<void> {
  const [next] = batch;
  meter.count('everturn_webhook_attempts_total', { outcome: sent.isTaken ? 'taken' : 'failed' });
  if (sent.isTaken) return endDelivery(database, ref, batch, sent);
  const { verdict, retryAfter } = sent;
  const isFinal = verdict === 'gone' || verdict === 'forbidden';
  const failed = { tries: next.tries + 1, age: next.age, isRejected: verdict === 'rejected', retryAfter };
  const waitMs = isFinal ? undefined : waitAfterFailure({ ...failed, chance: Math.random() });
  if (waitMs !== undefined) return retryDelivery(database, ref, batch, { ...sent, waitMs });
  return giveUpDelivery(database, ref, batch, { ...sent, url: target.url, ...blameOf(target, sent) });
}

/** Returns after how many abandoned deliveries in a row the address is paused, and with which reason. */
function blameOf({ owner, destination, thread }: WebhookTarget, { verdict, error }: Sent) {
  // Nobody could resume the mails of a member.
  if (verdict === 'forbidden' || owner.kind === 'member') return { maxFailures: null, pauseReason: IS_DEAD };
  // A sender that was not let in for days will not be.
  const isOfService = destination !== null || thread !== null;
  const isDead = verdict === 'gone' || (verdict === 'refused' && isOfService);
  if (!isDead) return { maxFailures: MAX_FAILURES, pauseReason: IS_DEAD };
  return { maxFailures: 0, pauseReason: !isOfService || error === null ? IS_GONE : error };
}
