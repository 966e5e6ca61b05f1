import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What flows through a valve: what its clients send, and what the server behind it responds. */
export type Flow = 'requests' | 'responses';

const FLOWS: readonly Flow[] = ['requests', 'responses'];

/**
 * A server in front of another one, through which at some moment nothing flows any more, in one direction or in both,
 * while nothing is closed.
 */
export class Valve {
  /** The address of the server behind it, led through this one. */
  readonly url: string;
  readonly #server: Server;
  readonly #sources: Record<Flow, Set<Socket>>;
  readonly #shut: Set<Flow>;

  private constructor(url: string, server: Server, parts: { sources: Record<Flow, Set<Socket>>; shut: Set<Flow> }) {
    this.url = url;
    this.#server = server;
    this.#sources = parts.sources;
    this.#shut = parts.shut;
  }

  static async open(target: string): Promise<Valve> {
    const { hostname, port } = new URL(target);
    const sources = { requests: new Set<Socket>(), responses: new Set<Socket>() };
    const shut = new Set<Flow>();
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      lead(near, far, { sources: sources.requests, isShut: shut.has('requests') });
      lead(far, near, { sources: sources.responses, isShut: shut.has('responses') });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the valve has no port');
    const url = new URL(target);
    url.host = `127.0.0.1:${address.port}`;
    return new Valve(url.href, server, { sources, shut });
  }

  /** Shuts the valve: nothing flows from now on. */
  shut(...flows: readonly Flow[]): void {
    for (const flow of flows.length === 0 ? FLOWS : flows) {
      this.#shut.add(flow);
      for (const source of this.#sources[flow]) source.pause();
    }
  }

  /** Lets everything flow again. */
  reopen(): void {
    for (const flow of FLOWS) {
      this.#shut.delete(flow);
      for (const source of this.#sources[flow]) source.resume();
    }
  }

  /** Closes the connections that are there; what was held back is lost. */
  cut(): void {
    for (const flow of FLOWS) for (const source of this.#sources[flow]) source.destroy();
  }

  /** Closes all connections, and lets nobody connect any more. */
  close(): void {
    this.#server.close();
    this.cut();
  }
}

function lead(from: Socket, to: Socket, { sources, isShut }: { sources: Set<Socket>; isShut: boolean }): void {
  sources.add(from);
  from.on('error', () => undefined);
  from.on('close', () => {
    sources.delete(from);
    to.destroy();
  });
  from.on('data', (data: Buffer) => void to.write(data));
  from.on('end', () => to.end());
  if (isShut) from.pause();
}
