import { isDeepStrictEqual } from 'node:util';
import type { WebSocket } from 'ws';
import type { ChatAccess } from '../../db/chats/chat.ts';
import type { RecordNews } from '../../db/core/after-commit.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { resourceOf } from '../../domain/resources.ts';
import { readerOf } from '../chats/own-chat.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { type KnownNews, type NewsFrames, type OrgViewer, sees } from '../context/subscriptions.ts';
import { type CloseCode, encodeFrame, FrameSocket } from '../sockets/frame-socket.ts';
import { eventClientFrameSchema, type EventFrame } from './event-frame.ts';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';

/** The part of a change that a member may see; without the id where it could be of a record that they may not see. */
type VisibleNews = Pick<RecordNews, 'resource' | 'id' | 'action'>;

type ResourceKey = RecordNews['resource'];

/** Resources without an area that every member may see. */
const OF_ALL_MEMBERS: ReadonlySet<ResourceKey> = new Set(['orgs', 'members', 'permissions']);
/** Some accounts are private to their users, and news do not say which. */
const WITHOUT_IDS: ReadonlySet<ResourceKey> = new Set(['providers']);
/** Resources that every reader of their chat may see; others of a chat also need the key to view them. */
const OF_READERS: ReadonlySet<ResourceKey> = new Set(['chats', 'approvals']);

/**
 * Returns the part of a change that a member may see; `undefined` for nothing.
 *
 * @param access who may see the chat that the change belongs to, if any.
 */
function visibleNews(
  caller: OrgCaller,
  { resource, id, action, chatId, userId }: RecordNews,
  access?: ChatAccess,
): VisibleNews | undefined {
  const visible = { resource, id, action };
  if (chatId !== undefined) {
    const isKnown = OF_READERS.has(resource) || mayView(caller, resource);
    return isKnown && access !== undefined && sees(readerOf(caller), access) ? visible : undefined;
  }
  if (userId !== undefined) return userId === caller.userId ? visible : undefined;
  if (!mayView(caller, resource)) return undefined;
  return maySeeId(caller, resource, id) ? visible : { ...visible, id: null };
}

function mayView({ policy, role }: OrgCaller, resource: ResourceKey): boolean {
  const { area } = resourceOf(resource);
  if (area !== undefined) return policyAllows(policy, `${area}.view`);
  return OF_ALL_MEMBERS.has(resource) || role === 'admin' || role === 'owner';
}

// A caller who is restricted to certain records of any kind may not see all of those that depend on them either.
function maySeeId({ policy }: OrgCaller, resource: ResourceKey, id: string | null): boolean {
  if (id === null || WITHOUT_IDS.has(resource)) return id === null;
  const { area, allowlist } = resourceOf(resource);
  if (area === undefined) return true;
  const lists = Object.entries(policy.allowlists);
  const isFree = lists.every(
    ([name, list]) => list === 'all' || (name === allowlist?.name && allowlist.entryKind === 'ids'),
  );
  const own = lists.find(([name]) => name === allowlist?.name)?.[1] ?? 'all';
  return isFree && (own === 'all' || own.has(id));
}

/** The frame after which everything is read again. */
const RESYNC = encodeFrame({ type: 'resync' } satisfies EventFrame);

/** The frames of one batch of news: each is made once, however many members receive it. */
export class SharedFrames implements NewsFrames {
  readonly #frames = new Map<string, Buffer>();

  /** Returns the frame for a change; the same one for equal changes. */
  of({ resource, id, action }: VisibleNews): Buffer {
    const key = `${resource} ${id} ${action}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const frame = encodeFrame({ type: 'changed', resource, id, action } satisfies EventFrame);
    this.#frames.set(key, frame);
    return frame;
  }
}

/** Changes that are sent one by one; after more of them a client reads everything again. */
const MAX_SENT = 200;

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

  /** Adopts the current rights of the same user, which may show other records. */
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
    const visible = news.flatMap(({ news: each, access }) => visibleNews(this.#caller, each, access) ?? []);
    // A change of records whose ids this member may not see is sent once.
    const distinct = new Set(visible.map((each) => frames.of(each)));
    if (distinct.size > MAX_SENT) return this.onLost();
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

  // Once: a second request would ask for what was sent in the meantime.
  #catchUp(sinceMs: number): void {
    if (this.#hasCaughtUp) return this.onLost();
    this.#hasCaughtUp = true;
    this.#context.orgEvents.sendRecent(this.#caller.orgId, this, sinceMs);
  }

  #send(frame: EventFrame): void {
    this.#frames.send(frame);
  }
}
