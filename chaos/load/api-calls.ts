import type { ChaosChat } from '../installation/installation.ts';

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
export async function requestInterrupt(chat: ChaosChat): Promise<boolean> {
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
