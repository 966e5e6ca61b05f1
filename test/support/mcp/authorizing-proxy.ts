import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy of this machine that adds a token to every request, for programs that cannot be given one. */
export class AuthorizingProxy {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: string, token: string): Promise<AuthorizingProxy> {
    const server = createServer((incoming, outgoing) => {
      const { method, headers } = incoming;
      const options = { method, headers: { ...headers, authorization: `Bearer ${token}` } };
      const sent = request(new URL(incoming.url ?? '/', target), options, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      });
      sent.on('error', () => outgoing.destroy());
      outgoing.on('close', () => sent.destroy());
      incoming.pipe(sent);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AuthorizingProxy(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
