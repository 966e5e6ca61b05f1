import { parseJson } from '../../core/http/api-client.ts';
import { Problem } from '../../core/http/problem.ts';
import type { components } from '../../openapi.ts';
import type { AnyServerFrame } from './merge-messages.ts';

interface SlowSocketOptions {
  /**
   * Opens the stream of the running turn, from after an event on; throws a `Problem`. Undefined while no turn runs, and
   * a 404 when the chat is gone.
   */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>;
}

const POLL_INTERVAL_MS = 10_000;

/** The codes with which the socket of a chat closes for the same reasons. */
const UNAUTHENTICATED = 4401;
const GONE = 4404;
const NO_ANSWER = 1006;

type Schemas = components['schemas'];

/** An event of the stream of a turn. */
type TurnEvent =
  | { event: 'stream_start'; data: Schemas['StreamStart'] }
  | { event: 'chunk'; data: Schemas['Chunk'] }
  | { event: 'tool_call'; data: Schemas['ToolCallProgress'] }
  | { event: 'approval'; data: Schemas['ApprovalProgress'] }
  | { event: 'stream_end'; data: Schemas['StreamEnd'] }
  | { event: 'error'; data: Schemas['StreamError'] };

/** Says what a socket would say, of the events of one turn's stream: its chunks tell where they belong. */
class TurnFrames {
  #turnId = '';
  #offset = 0;

  /** Returns the frames that say what an event says. */
  framesOf(event: TurnEvent): readonly AnyServerFrame[] {
    switch (event.event) {
      case 'stream_start':
        return this.#start(event.data.turn_id);
      case 'chunk':
        return [this.#chunk(event.data.content)];
      case 'tool_call':
        return [this.#step(event.data)];
      case 'approval':
        return this.#approval(event.data);
      case 'stream_end':
        return [this.#end(event.data.message)];
      case 'error':
        return [{ type: 'error', ...event.data, turn_id: this.#turnId, request: null, client_message_id: null }];
      // Events that are newer than this page.
      default:
        return [];
    }
  }

  // A stream that is resumed names its turn again; its chunks go on where they were.
  #start(turnId: string): readonly AnyServerFrame[] {
    if (turnId !== this.#turnId) this.#offset = 0;
    this.#turnId = turnId;
    return [{ type: 'joined', turn_id: turnId, newest_message_id: null, steps: [] }];
  }

  #chunk(content: string): AnyServerFrame {
    const offset = this.#offset;
    this.#offset += content.length;
    return { type: 'chunk', turn_id: this.#turnId, offset, content };
  }

  #step({ step_id, name, label, status }: components['schemas']['ToolCallProgress']): AnyServerFrame {
    const of = { turn_id: this.#turnId, task_id: this.#turnId, step_id };
    if (status !== 'running') return { type: 'sub_agent_step_done', ...of, status };
    return { type: 'sub_agent_step_start', ...of, step_name: name, step_label: label };
  }

  #approval({ call, status, ...ids }: components['schemas']['ApprovalProgress']): readonly AnyServerFrame[] {
    const of = { ...ids, turn_id: this.#turnId };
    if (status !== 'pending') return [{ type: 'approval_decided', ...of, status }];
    if (call === undefined) return [];
    const { name, label, ...rest } = call;
    return [{ type: 'approval_requested', ...of, ...rest, step_name: name, step_label: label }];
  }

  #end(message: components['schemas']['Message']): AnyServerFrame {
    const { id, turn_id, content, metadata_, created_at, provider_used, agent_id, agent_name } = message;
    const of = { turn_id, message_id: id, provider_used, agent_id, agent_name };
    return { type: 'stream_end', ...of, content, metadata: metadata_, created_at };
  }
}

/**
 * Says what the socket of a chat would say, where a network lets no socket through: it reads the stream of each turn,
 * and looks every ten seconds whether another one runs. Sub-agents are not told.
 */
export class SlowSocket extends EventTarget {
  readonly #options: SlowSocketOptions;
  readonly #end = new AbortController();
  readonly #frames = new TurnFrames();
  #lastEventId: string | undefined;
  #poll: () => void = () => undefined;

  constructor(options: SlowSocketOptions) {
    super();
    this.#options = options;
    void this.#run();
  }

  /** Answers a ping, which is all that a page sends, and looks at once whether a turn runs. */
  send(_frame: string): void {
    queueMicrotask(() => this.#say({ type: 'pong' }));
    this.#poll();
  }

  close(): void {
    this.#end.abort();
    this.#poll();
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isOver) {
        const stream = await this.#options.open(this.#lastEventId, this.#end.signal);
        if (stream === undefined) await this.#rest();
        else await this.#read(stream);
      }
    } catch (error) {
      if (!this.#isOver) this.dispatchEvent(new CloseEvent('close', { code: codeOf(error) }));
    }
  }

  get #isOver(): boolean {
    return this.#end.signal.aborted;
  }

  async #rest(): Promise<void> {
    this.#lastEventId = undefined;
    this.#say({ type: 'joined', turn_id: null, newest_message_id: null, steps: [] });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_INTERVAL_MS);
      this.#poll = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  // A stream that breaks off is opened anew after the last event that came.
  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const { readEvents } = await import('../../core/http/event-stream.ts');
    for await (const { event, data, id } of readEvents(stream)) {
      this.#lastEventId = id ?? this.#lastEventId;
      const frames = this.#frames.framesOf({ event, data: parseJson(data) } as TurnEvent);
      for (const frame of frames) this.#say(frame);
      if (event === 'stream_end' || event === 'error') this.#lastEventId = undefined;
    }
  }

  #say(frame: AnyServerFrame): void {
    if (this.#isOver) return;
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }
}

function codeOf(error: unknown): number {
  if (!(error instanceof Problem)) return NO_ANSWER;
  if (error.status === 401) return UNAUTHENTICATED;
  return error.status === 404 || error.status === 403 ? GONE : NO_ANSWER;
}
