import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The ports that are tried: below those that systems give to outgoing connections, one of which could otherwise take
 * the port before the server that it is meant for.
 */
const FIRST_PORT = 12_000;
const LAST_PORT = 32_000;
const MAX_TRIES = 50;

/** Returns a port of 127.0.0.1 that nobody listens on at the moment, for a server that must be told its port. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    try {
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
}
