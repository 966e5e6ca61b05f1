export { SocketServer } from './socket-server.ts';
