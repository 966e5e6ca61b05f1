import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_CONNECTIONS } from './keep-connections.ts';
import { LOCAL_ADDRESS } from './local-address.ts';

/** An HTTP server of a test, on a port of its own. */
export abstract class LocalServer {
  readonly #server = createServer(KEEP_CONNECTIONS, (request, response) => void this.serve(request, response));

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Without a slash at its end. */
  get url(): string {
    return `http://${LOCAL_ADDRESS}:${this.port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  protected async listen(): Promise<this> {
    this.#server.listen(0, LOCAL_ADDRESS);
    await once(this.#server, 'listening');
    return this;
  }

  protected abstract serve(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
}
