import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCAL_ADDRESS } from '../../test/support/local-address.ts';
import { AUTOMATION_SECRET } from '../automation/open-automation.ts';

/** A server of the world outside, on a port of its own. */
abstract class Sink {
  readonly #server = createServer((request, response) => {
    void this.serve(request, response).catch(() => response.destroy());
  });

  async start(): Promise<this> {
    this.#server.listen(0, LOCAL_ADDRESS);
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  abstract serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

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
export class EffectSink extends Sink {
  readonly deliveries: Delivery[] = [];
  readonly #seen = new Set<string>();

  override async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
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

/** A message of the platform that has arrived. */
export interface Notified {
  /** The last part of the address that it was sent to. */
  readonly target: string;
  readonly deliveryId: string;
  readonly runId: string;
  readonly output: string | null;
  readonly isSigned: boolean;
  /** Whether it was answered with success. */
  readonly isTaken: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Of a hundred messages, how many are refused, and answered late, when they come first; others are cut off. */
const REFUSED = 8;
const LATE = 8;
const CUT = 4;
const LATE_MS = 1_500;
const MAX_NOTIFIED = 1_000_000;

/** The addresses that runs are told to: they refuse some messages at first, and lose the answers to others. */
export class WebhookSink extends Sink {
  readonly notified: Notified[] = [];
  readonly #seen = new Set<string>();

  override async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    const deliveryId = String(request.headers['x-everturn-delivery']);
    const { run } = JSON.parse(body) as { run: { id: string; output: string | null } };
    const dice = this.#seen.has(deliveryId) ? 100 : lastDigitsOf(deliveryId);
    this.#seen.add(deliveryId);
    const isTaken = dice >= REFUSED;
    const isSigned = isSignatureOf(body, String(request.headers['x-everturn-signature']));
    const target = (request.url ?? '').split('/').at(-1) ?? '';
    if (this.notified.length < MAX_NOTIFIED)
      this.notified.push({ target, deliveryId, runId: run.id, output: run.output, isSigned, isTaken, at: Date.now() });
    if (!isTaken) return void response.writeHead(503).end();
    if (dice < REFUSED + LATE) await sleep(LATE_MS);
    if (dice >= REFUSED + LATE && dice < REFUSED + LATE + CUT) return void response.destroy();
    response.writeHead(204).end();
  }
}

/** Returns a number below 100 from the last digits of an id, which are left to chance. */
export function lastDigitsOf(id: string): number {
  return Number.parseInt(id.slice(-6), 16) % 100;
}

function isSignatureOf(body: string, header: string): boolean {
  const [time = '', ...digests] = header.split(',').map((part) => part.split('=')[1] ?? '');
  const expected = createHmac('sha256', AUTOMATION_SECRET).update(`${time}.${body}`).digest('hex');
  return digests.includes(expected) && Math.abs(Date.now() / 1_000 - Number(time)) < 300;
}
