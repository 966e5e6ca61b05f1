export {
  type Batch,
  beginAttempt,
  endDelivery,
  giveUpDelivery,
  pauseWebhook,
  postpone,
  rest,
  retryDelivery,
} from './attempts.ts';
export {
  addDestinationTarget,
  changeDestinationTarget,
  type DestinationTarget,
  findDestinationTarget,
  pauseDestination,
} from './destination-targets.ts';
export { findOverdueWebhooks, listDeliveries, purgeDeliveries, redeliver } from './deliveries.ts';
export {
  type Delivery,
  nextDelivery,
  readSubject,
  restOfDigest,
  type TargetDestination,
  type TargetRef,
  type TargetThread,
  type WebhookOwner,
  type WaitingReport,
  type WebhookTarget,
} from './next-delivery.ts';
export {
  listReports,
  listUndelivered,
  type Reported,
  resendReport,
  resendTo,
  type RunDelivery,
  UNDELIVERED_RUNS,
} from './run-deliveries.ts';
export { openThreadTarget } from './thread-targets.ts';
export { setWebhook, type ShownWebhook, signingSecrets, webhookOfChat, webhooksOf } from './set-webhook.ts';
export { lockDestinationsOf, reportMissed } from './report-missed.ts';
export { deliveriesTo, DUE_TARGETS, reportTurn, TELL_DESTINATIONS, TELL_MEMBERS, tellWebhook } from './tell-webhook.ts';
export { type MessageRef, updateMessage } from './update-message.ts';
