export { NO_NOTIFY, notifyFields, shownNotify, shownNotifyFields } from './notify-fields.ts';
export { checkWebhookUrl } from './rules.ts';
