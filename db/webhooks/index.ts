export {
  type Attempt,
  beginAttempt,
  endDelivery,
  giveUpDelivery,
  pauseWebhook,
  postpone,
  rest,
  retryDelivery,
} from './attempts.ts';
export { listDeliveries } from './list-deliveries.ts';
export { type Delivery, nextDelivery, type TargetRef, type WebhookTarget } from './next-delivery.ts';
export { redeliver } from './redeliver.ts';
export { signingSecrets } from './secrets.ts';
export { setWebhook } from './set-webhook.ts';
export { type ShownWebhook, webhookOfChat, webhooksOf } from './shown-webhook.ts';
export { readSubject } from './subjects.ts';
export { findOverdueWebhooks, purgeDeliveries } from './overdue-webhooks.ts';
export { deliveriesTo, DUE_WEBHOOKS, tellWebhook } from './tell-webhook.ts';
