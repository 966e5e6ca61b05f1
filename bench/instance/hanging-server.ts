import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of the outside world that accepts requests and never responds. */
export class HangingServer {
  readonly #server = createServer(() => (this.#requests += 1));
  #requests = 0;

  static async start(): Promise<HangingServer> {
    const hanging = new HangingServer();
    hanging.#server.listen(0, '127.0.0.1');
    await once(hanging.#server, 'listening');
    return hanging;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** The number of requests since the last reset. */
  get requests(): number {
    return this.#requests;
  }

  forget(): void {
    this.#requests = 0;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
