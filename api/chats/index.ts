export { interruptChat } from './interrupt-chat.ts';
export { failureText } from './present-chat.ts';
export { chatRoutes } from './routes.ts';
export { clientMessageIdField, contentField } from './schema.ts';
export { sendMessage } from './send-message.ts';
