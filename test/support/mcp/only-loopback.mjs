import { Server } from 'node:net';

// A server that names no address would listen on all of them.
const listen = Server.prototype.listen;
Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  const named = typeof rest[0] === 'string' || typeof port === 'object';
  return Reflect.apply(listen, this, named ? [port, ...rest] : [Number(port), '127.0.0.1', ...rest]);
};
