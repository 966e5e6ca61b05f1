export { chatSocketDescription } from './description.ts';
export { SocketServer } from './socket-server.ts';
