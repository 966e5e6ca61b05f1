export { NO_NOTIFY, notifyFields, shownNotify, shownNotifyFields } from './schema.ts';
export { checkWebhookUrl } from './rules.ts';
