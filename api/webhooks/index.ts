export { checkWebhookUrl } from './rules.ts';
export { signingSecretField, webhookUrlField } from './schema.ts';
