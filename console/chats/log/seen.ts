import type { Drafts } from '../../core/drafts.ts';
import type { ChatTurn } from '../connection/index.ts';

/** Up to when somebody has seen a chat, by the chat's id: ISO 8601 times, those looked at last at the end. */
type Seen = Readonly<Record<string, string>>;

type Keeper = Pick<Drafts, 'read' | 'write'>;

const KEY = 'chats.seen';
/** Chats that are kept: of those looked at last. */
const MAX_CHATS = 300;

/** Returns up to when somebody has seen a chat in this browser; undefined when that is not known. */
export function seenUntil(keeper: Keeper, chatId: string): string | undefined {
  return readSeen(keeper)[chatId];
}

/** Keeps up to when somebody has seen a chat. An earlier time than the kept one changes nothing. */
export function keepSeen(keeper: Keeper, chatId: string, time: string): void {
  const { [chatId]: before, ...others } = readSeen(keeper);
  if (before !== undefined && Date.parse(before) >= Date.parse(time)) return;
  const newest = [...Object.entries(others), [chatId, time] as const].slice(-MAX_CHATS);
  keeper.write(KEY, JSON.stringify(Object.fromEntries(newest)));
}

/** Returns the first turn whose answer was stored after a time. */
export function firstUnread(turns: readonly ChatTurn[], since: string | undefined): string | undefined {
  if (since === undefined) return undefined;
  const time = Date.parse(since);
  return turns.find(({ answer }) => answer !== undefined && Date.parse(answer.created_at) > time)?.turnId;
}

function readSeen(keeper: Keeper): Seen {
  try {
    const kept: unknown = JSON.parse(keeper.read(KEY) || '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Seen) : {};
  } catch {
    return {};
  }
}
