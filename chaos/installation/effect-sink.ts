import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that reached the ledger: a side effect in the outside world. */
export interface Delivery {
  readonly method: string;
  /** Names the call that made it. */
  readonly token: string;
  readonly key: string | null;
  readonly bodyHash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A bound for a runaway call; deliveries beyond it are not kept. */
const MAX_DELIVERIES = 1_000_000;

/**
 * A server that records every side effect before it responds. `/{effect}/{token}?wait=300` responds after that many
 * milliseconds, `busy=1` responds with 503 the first time, `cut=1` records the effect and closes the connection without
 * a response.
 */
export class EffectSink {
  readonly deliveries: Delivery[] = [];
  readonly #seen = new Set<string>();
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<EffectSink> {
    const sink = new EffectSink();
    sink.#server.listen(0, '127.0.0.1');
    await once(sink.#server, 'listening');
    return sink;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hash = createHash('sha256');
    for await (const chunk of request) hash.update(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://ledger');
    const token = pathname.split('/')[2] ?? '';
    const isFirst = !this.#seen.has(token);
    this.#seen.add(token);
    const key = request.headers['idempotency-key'];
    if (this.deliveries.length < MAX_DELIVERIES) {
      this.deliveries.push({
        method: request.method ?? '',
        token,
        key: typeof key === 'string' ? key : null,
        bodyHash: hash.digest('hex'),
        at: Date.now(),
      });
    }
    await sleep(Number(searchParams.get('wait') ?? 0));
    if (searchParams.has('cut')) return void response.destroy();
    response.writeHead(searchParams.has('busy') && isFirst ? 503 : 200, { 'content-type': 'text/plain' });
    response.end(`noted ${token}`);
  }
}
