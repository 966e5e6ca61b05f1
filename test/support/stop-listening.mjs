import { Server } from 'node:net';

// Loaded before a program: at SIGUSR2 its servers take no more connections, while everything else goes on.
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  process.once('SIGUSR2', () => this.close());
  return listen.apply(this, args);
};
