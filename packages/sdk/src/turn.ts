import type { Schemas } from './api-types.ts';
import { APIConnectionError, ConflictError, EverturnError, TurnFailedError } from './errors.ts';
import { readEvents, type ServerEvent } from './server-events.ts';
import { backOff, isTransient, type Transport } from './transport.ts';

interface EventData {
  readonly stream_start: Schemas['StreamStart'];
  readonly chunk: Schemas['Chunk'];
  readonly tool_call: Schemas['ToolCallProgress'];
  readonly approval: Schemas['ApprovalProgress'];
  readonly stream_end: Schemas['StreamEnd'];
}

/** An event of a turn, with the names and the data that the API has for it. One that has failed throws instead. */
export type TurnEvent = { [E in keyof EventData]: { readonly type: E } & EventData[E] }[keyof EventData];

/** What a reader of a turn takes. */
export interface ReadOptions {
  /** Ends the reading, which throws the reason of the signal. The turn continues; `stop` ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** Which turn to read: the one that answers a message that is sent, or one that runs already. */
interface Target extends ReadOptions {
  readonly chatId: string;
  readonly message?: Schemas['MessageCreate'];
  readonly lastEventId?: string | undefined;
}

const STREAM = '/api/chats/{chat_id}/stream';
const KNOWN: Readonly<Record<TurnEvent['type'], true>> = {
  stream_start: true,
  chunk: true,
  tool_call: true,
  approval: true,
  stream_end: true,
};

/**
 * The answer to a message, as it is written. Reading begins with the first loop over it, or with `message`. A lost
 * connection is reopened, and no event is lost or repeated.
 */
export class Turn implements AsyncIterable<TurnEvent> {
  readonly #transport: Transport;
  readonly #target: Target;
  readonly #events: AsyncGenerator<TurnEvent, void>;
  readonly #reported = new Set<string>();
  #start: Schemas['StreamStart'] | undefined;
  #end: Schemas['Message'] | undefined;
  #text = '';
  #lastEventId: string | undefined;
  #isToStop = false;
  /** Whether the server may have the message: a turn that begins with it has to be stopped there. */
  #isSent: boolean;

  constructor(transport: Transport, target: Target) {
    this.#transport = transport;
    this.#target = target;
    // The event that ends a turn is read again: it has the message, or the reason.
    this.#lastEventId = target.lastEventId?.replace(/:end$/, '');
    this.#isSent = target.message === undefined;
    this.#events = this.#read();
  }

  /** The turn, once the server has stored the message. */
  get id(): string | undefined {
    return this.#start?.turn_id;
  }

  /** The text that was read so far. */
  get text(): string {
    return this.#text;
  }

  /** The position that was read to: `attach` continues there, in another process, too. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** Continues reading: a second loop starts where the first was left, unless that has closed it with `break`. */
  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, void> & AsyncIterable<TurnEvent> {
    return this.#events;
  }

  /** Reads to the end, and returns the answer as it is stored. Throws a `TurnFailedError` when the turn has failed. */
  async message(): Promise<Schemas['Message']> {
    while ((await this.#events.next()).done !== true);
    if (this.#end === undefined) throw new EverturnError('The answer was not read to its end');
    return this.#end;
  }

  /**
   * Stops the turn, or takes the message back when its turn has not begun. What was written so far is kept, and is the
   * message of the `stream_end` that follows.
   */
  async stop(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#isToStop = true;
    // Otherwise as soon as it is known what is to be stopped.
    if (this.#start !== undefined) await this.#stop(this.#start);
  }

  async #stop({ chat_id, message_id }: Schemas['StreamStart']): Promise<void> {
    const post = async (template: string) =>
      this.#transport.send(
        { method: 'POST', template, path: { chat_id, message_id }, isRepeatable: true },
        async () => undefined,
      );
    try {
      await post('/api/chats/{chat_id}/messages/{message_id}/withdraw');
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      await post('/api/chats/{chat_id}/interrupt');
    }
  }

  async *#read(): AsyncGenerator<TurnEvent, void> {
    const { maxRetries, maxReconnects, streamIdleMs } = this.#transport;
    const { signal } = this.#target;
    for (let failures = 0; this.#isSent || !this.#isToStop; failures += 1) {
      let failure: unknown;
      try {
        const response = await this.#connect();
        for await (const event of readEvents(response, { signal, idleMs: streamIdleMs })) {
          const news = this.#take(event);
          if (news === undefined) continue;
          failures = 0;
          if (news.type === 'stream_start' && this.#isToStop) await this.#stop(news);
          yield news;
          if (news.type === 'stream_end') return;
        }
        failure = new APIConnectionError('The stream has ended before the turn');
      } catch (error) {
        if (!isTransient(error, true)) throw error;
        failure = error;
      }
      if (failures >= (this.#start === undefined ? maxRetries : maxReconnects)) throw failure;
      await backOff(failures, { error: failure, signal });
    }
  }

  async #connect(): Promise<Response> {
    const { chatId, message, signal } = this.#target;
    const isNew = message !== undefined && this.#start === undefined;
    this.#isSent = true;
    return this.#transport.send(
      {
        method: isNew ? 'POST' : 'GET',
        template: STREAM,
        path: { chat_id: chatId },
        headers: { 'Last-Event-ID': this.#lastEventId },
        ...(isNew && { body: message }),
        maxRetries: 0,
        signal,
      },
      async (response) => response,
    );
  }

  // Returns the event if it is new: some are repeated after a reconnection.
  #take({ event, id, data }: ServerEvent): TurnEvent | undefined {
    const content = JSON.parse(data) as EventData[TurnEvent['type']] & { message: string };
    // An error without this mark is the end of the connection: the next one says whether it may continue.
    if (event === 'error' && id?.endsWith(':end') === true) throw new TurnFailedError(content.message);
    if (event === 'error') throw new APIConnectionError(content.message);
    if (!(event in KNOWN)) return undefined;
    this.#lastEventId = id ?? this.#lastEventId;
    const news = { type: event, ...content } as TurnEvent;
    if (news.type === 'chunk') this.#text += news.content;
    if (news.type === 'stream_start') this.#start ??= news;
    if (news.type === 'stream_end') this.#end = news.message;
    return this.#isKnown(news) ? undefined : news;
  }

  #isKnown(event: TurnEvent): boolean {
    const key = keyOf(event);
    if (key === undefined) return false;
    const isKnown = this.#reported.has(key);
    this.#reported.add(key);
    return isKnown;
  }
}

// Chunks need no key: the server resumes at the position, so it never repeats them.
function keyOf(event: TurnEvent): string | undefined {
  if (event.type === 'tool_call') return `${event.step_id} ${event.status === 'running' ? 'began' : 'ended'}`;
  if (event.type === 'approval') return `${event.approval_id} ${event.status}`;
  return event.type === 'chunk' ? undefined : event.type;
}
