import { chatWebhookRoutes } from './chat-webhook.ts';
import { workflowDeliveryRoutes } from './workflow-deliveries.ts';

export const webhookRoutes = [...chatWebhookRoutes, ...workflowDeliveryRoutes];
