export { ChatSocket } from './chat-socket.ts';
export { chatSocketDescription } from './description.ts';
