import type { z } from 'zod';
import { TURN_EVENTS } from '../../api/chat-sse/turn-event.ts';
import { faultIn } from './fault-in.ts';
import { waitUntil } from './wait-until.ts';

/** One server-sent event. */
export interface SseEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
}

type DeclaredEvents = Readonly<Record<string, z.ZodType>>;

interface SseRequest {
  readonly url: string;
  readonly token: string;
  /** Posts when given. */
  readonly body?: unknown;
  readonly lastEventId?: string | undefined;
  /** The data of the events that the API declares, by their names; those of a turn unless given. */
  readonly declared?: DeclaredEvents;
}

/** A reader of server-sent events that keeps every event it was sent, and takes only those that the API declares. */
export class SseClient {
  readonly events: SseEvent[] = [];
  readonly status: number;
  /** The body of an answer that is no stream. */
  problem: unknown;
  isDone = false;
  #fault: string | undefined;
  readonly #abort: AbortController;
  readonly #declared: DeclaredEvents;

  private constructor(status: number, abort: AbortController, declared: DeclaredEvents) {
    this.status = status;
    this.#abort = abort;
    this.#declared = declared;
  }

  static async open({ url, token, body, lastEventId, declared = TURN_EVENTS }: SseRequest): Promise<SseClient> {
    const abort = new AbortController();
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: abort.signal,
    });
    const client = new SseClient(response.status, abort, declared);
    if (response.status === 200) void client.#read(response);
    else client.problem = await response.json();
    return client;
  }

  get text(): string {
    return this.events.map(({ event, data }) => (event === 'chunk' ? String(data['content']) : '')).join('');
  }

  get lastEventId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id;
  }

  async waitFor(what: string, fits: (event: SseEvent) => boolean, timeoutMs?: number): Promise<SseEvent> {
    const find = () => {
      if (this.#fault !== undefined) throw new Error(`an event that the API does not declare: ${this.#fault}`);
      return this.events.find(fits);
    };
    return waitUntil(`event: ${what}`, find, timeoutMs);
  }

  /** Waits for `stream_end` or `error`, and for the server to close the stream. */
  async waitForEnd(timeoutMs?: number): Promise<SseEvent> {
    const end = await this.waitFor('end', ({ event }) => event === 'stream_end' || event === 'error', timeoutMs);
    await waitUntil('the stream to close', () => (this.isDone ? true : undefined), timeoutMs);
    return end;
  }

  /** Goes away as a closed tab does. */
  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    let buffered = '';
    try {
      for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        buffered += part;
        const blocks = buffered.split('\n\n');
        buffered = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // The connection was cut, by this client or by the server: what came until then counts.
    }
    this.isDone = true;
  }

  #take(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const event = fields.get('event');
    if (event === undefined) return;
    const id = fields.get('id');
    const data = JSON.parse(fields.get('data') ?? '{}') as Record<string, unknown>;
    const declared = this.#declared[event];
    this.#fault ??= declared === undefined ? event : faultIn(declared, data);
    this.events.push({ event, id, data });
  }
}
