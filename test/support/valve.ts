import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A server in front of another one, through which at some moment nothing flows any more while nothing is closed. */
export class Valve {
  /** The address of the server behind it, led through this one. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(url: string, server: Server, sockets: Set<Socket>) {
    this.url = url;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async open(target: string): Promise<Valve> {
    const { hostname, port } = new URL(target);
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on('error', () => undefined);
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the valve has no port');
    const url = new URL(target);
    url.host = `127.0.0.1:${address.port}`;
    return new Valve(url.href, server, sockets);
  }

  /** Closes the valve: nothing flows from now on. */
  shut(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Closes all connections. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
