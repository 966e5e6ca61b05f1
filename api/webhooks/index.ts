export {
  NO_NOTIFY,
  notifyFields,
  shownNotify,
  shownNotifyFields,
  signingSecretField,
  webhookUrlField,
} from './schema.ts';
export { checkWebhookUrl } from './rules.ts';
