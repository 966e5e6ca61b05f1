import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosChat } from '../installation/installation.ts';
import type { MessagePlan } from '../messages/turn-plan.ts';
import type { InFlight } from './in-flight.ts';
import type { SocketViewer } from './socket-viewer.ts';

const TRIES = 5;
const PAUSE_MS = 300;

/** Stops a turn as its plan says, if it has not ended by then. Resolves when nothing more will be sent. */
export async function interruptAsPlanned(
  { index, interrupt }: MessagePlan,
  { chat, viewer, inFlight }: { chat: ChaosChat; viewer: SocketViewer | undefined; inFlight: InFlight },
): Promise<void> {
  if (interrupt === undefined) return;
  await sleep(interrupt.afterMs);
  for (let sent = 0; sent < (interrupt.isTwice ? 2 : 1); sent += 1) {
    const message = inFlight.of(index);
    if (message.endedAt !== undefined) return;
    message.interruptAt ??= Date.now();
    if (interrupt.by === 'socket' && viewer?.send({ type: 'interrupt' }) === true) continue;
    await insist(chat, () => message.endedAt !== undefined);
  }
}

async function insist(chat: ChaosChat, isOver: () => boolean): Promise<void> {
  for (let tries = 0; tries < TRIES && !isOver(); tries += 1) {
    if (await requestInterrupt(chat)) return;
    await sleep(PAUSE_MS);
  }
}

/** How long a user waits for one request; a paused part may pause longer. */
const LIMIT_MS = 8_000;

/** A message as the api shows it. */
export interface ListedMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Returns the messages of a chat from the given place on. Throws when they cannot be had now. */
export async function listMessages(chat: ChaosChat, offset: number): Promise<ListedMessage[]> {
  const answer = await call(chat, 'GET', `messages?limit=50&offset=${offset}`);
  if (answer.status !== 200) throw new Error(`the messages cannot be read now: ${answer.status}`);
  return (await answer.json()) as ListedMessage[];
}

/** Stops the chat's running turn; false when the api cannot be reached now. */
async function requestInterrupt(chat: ChaosChat): Promise<boolean> {
  try {
    const answer = await call(chat, 'POST', 'interrupt');
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}

async function call({ apiUrl, id, token }: ChaosChat, method: string, path: string): Promise<Response> {
  return fetch(`${apiUrl}/api/chats/${id}/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(LIMIT_MS),
  });
}
