import { chatWebhookRoutes } from './chat-webhook.ts';
import { runDeliveryRoutes } from './run-deliveries.ts';

export const webhookRoutes = [...chatWebhookRoutes, ...runDeliveryRoutes];
