export { sendNotification } from './send-notification.ts';
