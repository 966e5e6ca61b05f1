export { sendApprovalMessage } from './send-approval-message.ts';
export { sendNotification } from './send-notification.ts';
