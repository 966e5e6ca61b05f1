export {
  attemptLogField,
  deliveriesQuery,
  deliverySchema,
  NO_NOTIFY,
  notifyFields,
  shownNotify,
  shownNotifyFields,
  signingSecretField,
  webhookUrlField,
  checkWebhookUrl,
} from './schema.ts';
