import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTOMATION_SECRET } from '../automation/open-automation.ts';

/** A message of the platform that has arrived. */
export interface Told {
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
const MAX_TOLD = 1_000_000;

/** The addresses that runs are told to: they refuse some messages at first, and lose the answers to others. */
export class ToldSink {
  readonly told: Told[] = [];
  readonly #seen = new Set<string>();
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<ToldSink> {
    const sink = new ToldSink();
    sink.#server.listen(0, '127.0.0.1');
    await once(sink.#server, 'listening');
    return sink;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    const deliveryId = String(request.headers['x-everturn-delivery']);
    const { run } = JSON.parse(body) as { run: { id: string; output: string | null } };
    const dice = this.#seen.has(deliveryId) ? 100 : diceOf(deliveryId);
    this.#seen.add(deliveryId);
    const isTaken = dice >= REFUSED;
    const isSigned = isSignatureOf(body, String(request.headers['x-everturn-signature']));
    const target = (request.url ?? '').split('/').at(-1) ?? '';
    if (this.told.length < MAX_TOLD)
      this.told.push({ target, deliveryId, runId: run.id, output: run.output, isSigned, isTaken, at: Date.now() });
    if (!isTaken) return void response.writeHead(503).end();
    if (dice < REFUSED + LATE) await sleep(LATE_MS);
    if (dice >= REFUSED + LATE && dice < REFUSED + LATE + CUT) return void response.destroy();
    response.writeHead(204).end();
  }
}

// The last digits of an id are left to chance.
function diceOf(id: string): number {
  return Number.parseInt(id.slice(-6), 16) % 100;
}

function isSignatureOf(body: string, header: string): boolean {
  const [time = '', ...digests] = header.split(',').map((part) => part.split('=')[1] ?? '');
  const expected = createHmac('sha256', AUTOMATION_SECRET).update(`${time}.${body}`).digest('hex');
  return digests.includes(expected) && Math.abs(Date.now() / 1_000 - Number(time)) < 300;
}
