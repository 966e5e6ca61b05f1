import { isDeepStrictEqual } from 'node:util';
import type { WebSocket } from 'ws';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { KnownNews, NewsFrames, OrgViewer } from '../context/subscriptions.ts';
import { type CloseCode, FrameSocket } from '../sockets/frame-socket.ts';
import { eventClientFrameSchema, type EventFrame } from './event-frame.ts';
import { RESYNC, toldTo } from './may-know.ts';

/** Changes that are told one by one; a client that is told of more reads everything again. */
const MAX_TOLD = 200;

/** One client's connection to what changes in an organization. */
export class OrgSocket implements OrgViewer {
  readonly #context: Pick<ApiContext, 'orgEvents'>;
  readonly #frames: FrameSocket;
  #caller: OrgCaller;
  #hasCaughtUp = false;

  constructor(context: Pick<ApiContext, 'orgEvents'>, { socket, caller }: { socket: WebSocket; caller: OrgCaller }) {
    this.#context = context;
    this.#caller = caller;
    this.#frames = new FrameSocket(socket, {
      onFrame: (data) => this.#receive(data),
      rejectionOf: (message): EventFrame => ({ type: 'error', message }),
    });
  }

  /** Takes over the current rights of the same user, with which other records may be seen. */
  adopt(caller: OrgCaller): void {
    const isSame = caller.role === this.#caller.role && isDeepStrictEqual(caller.policy, this.#caller.policy);
    this.#caller = caller;
    if (!isSame) this.onLost();
  }

  /** Serves the connection until it closes. Its first frame says that what was read before may be out of date. */
  async serve(): Promise<void> {
    const stop = this.#context.orgEvents.subscribe(this.#caller.orgId, this);
    try {
      await this.#frames.serve(async () => this.onLost());
    } finally {
      stop();
    }
  }

  close(code: CloseCode, reason: string): void {
    this.#frames.close(code, reason);
  }

  /** Ends the connection of a client that has lost the right to it. */
  shutOut(code: CloseCode, reason: string): void {
    this.close(code, reason);
  }

  onNews(news: readonly KnownNews[], frames: NewsFrames): void {
    const told = news.flatMap(({ news: each, audience }) => toldTo(this.#caller, each, audience) ?? []);
    // Records whose ids this member may not see are told of once.
    const distinct = new Set(told.map((each) => frames.of(each)));
    if (distinct.size > MAX_TOLD) return this.onLost();
    for (const frame of distinct) this.#frames.sendEncoded(frame);
  }

  onLost(): void {
    this.#frames.sendEncoded(RESYNC);
  }

  #receive(data: Buffer): void {
    const parsed = parseForeignJson(data.toString('utf8'), { maxDepth: 2 });
    const frame = 'issue' in parsed ? undefined : eventClientFrameSchema.safeParse(parsed.value).data;
    if (frame === undefined)
      return this.#frames.refuse('The frame must be a JSON object of the type "ping", or "catch_up" with "since_ms"');
    if (frame.type === 'ping') this.#send({ type: 'pong' });
    else this.#catchUp(frame.since_ms);
  }

  // Once: what would be asked for again was told meanwhile.
  #catchUp(sinceMs: number): void {
    if (this.#hasCaughtUp) return this.onLost();
    this.#hasCaughtUp = true;
    this.#context.orgEvents.tellRecent(this.#caller.orgId, this, sinceMs);
  }

  #send(frame: EventFrame): void {
    this.#frames.send(frame);
  }
}
