export { createDeliverNext, type WebhookDeps } from './deliver-next.ts';
