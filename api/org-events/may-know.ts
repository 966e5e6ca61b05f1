import type { ChatAudience } from '../../db/chats/index.ts';
import type { RecordNews } from '../../db/core/index.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import { resourceOf } from '../../domain/resources.ts';
import { readerOf } from '../chats/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { type NewsFrames, sees } from '../context/subscriptions.ts';
import { encodeFrame } from '../sockets/frame-socket.ts';
import type { EventFrame } from './event-frame.ts';

/** What somebody may be told of a change; the id is left out where it could be of a record that they may not see. */
type ToldNews = Pick<RecordNews, 'resource' | 'id' | 'action'>;

type ResourceKey = RecordNews['resource'];

/** Resources without an area that every member may know of. */
const OF_ALL_MEMBERS: ReadonlySet<ResourceKey> = new Set(['orgs', 'members', 'permissions']);
/** Some accounts are private to their users, and news do not say which. */
const WITHOUT_IDS: ReadonlySet<ResourceKey> = new Set(['providers']);
/** Resources that whoever may read their chat may know of; others of a chat need the key to view them as well. */
const OF_READERS: ReadonlySet<ResourceKey> = new Set(['chats', 'approvals']);

/**
 * Returns what a member may be told of a change; `undefined` for nothing.
 *
 * @param audience who may know of the chat that it belongs to, if it does and there is one.
 */
export function toldTo(
  caller: OrgCaller,
  { resource, id, action, chatId, userId }: RecordNews,
  audience?: ChatAudience,
): ToldNews | undefined {
  const told = { resource, id, action };
  if (chatId !== undefined) {
    const isKnown = OF_READERS.has(resource) || mayView(caller, resource);
    return isKnown && audience !== undefined && sees(readerOf(caller), audience) ? told : undefined;
  }
  if (userId !== undefined) return userId === caller.userId ? told : undefined;
  if (!mayView(caller, resource)) return undefined;
  return maySeeId(caller, resource, id) ? told : { ...told, id: null };
}

function mayView({ policy, role }: OrgCaller, resource: ResourceKey): boolean {
  const { area } = resourceOf(resource);
  if (area !== undefined) return policyAllows(policy, `${area}.view`);
  return OF_ALL_MEMBERS.has(resource) || role === 'admin' || role === 'owner';
}

// Who is restricted to certain records of any kind may not see all of those that depend on them either.
function maySeeId({ policy }: OrgCaller, resource: ResourceKey, id: string | null): boolean {
  if (id === null || WITHOUT_IDS.has(resource)) return id === null;
  const { area, allowlist } = resourceOf(resource);
  if (area === undefined) return true;
  const lists = Object.entries(policy.allowlists);
  const isFree = lists.every(
    ([name, list]) => list === 'all' || (name === allowlist?.name && allowlist.holds === 'ids'),
  );
  const own = lists.find(([name]) => name === allowlist?.name)?.[1] ?? 'all';
  return isFree && (own === 'all' || own.has(id));
}

/** The frame after which everything is read again. */
export const RESYNC = encodeFrame({ type: 'resync' } satisfies EventFrame);

/** The frames of news that are told together: each is made once, however many members are told the same. */
export class SharedFrames implements NewsFrames {
  readonly #frames = new Map<string, Buffer>();

  /** Returns the frame that tells of a change; the same one for the same words. */
  of({ resource, id, action }: ToldNews): Buffer {
    const key = `${resource} ${id} ${action}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const frame = encodeFrame({ type: 'changed', resource, id, action } satisfies EventFrame);
    this.#frames.set(key, frame);
    return frame;
  }
}
