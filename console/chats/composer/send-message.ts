import type { Api } from '../../core/http/api-client.ts';
import { problemOfBody } from '../../core/http/problem.ts';

/** A message on its way. */
export interface NewMessage {
  readonly chatId: string;
  readonly content: string;
  readonly fileIds: readonly string[];
  /** The same id makes no second turn, however often it is sent. */
  readonly clientMessageId: string;
}

const MAX_HEAD_CHARACTERS = 20_000;

/**
 * Sends a message. Resolves when it is stored; its answer is watched over the chat's socket. Throws a `Problem` when it
 * is rejected, or when it is not known whether it was stored.
 */
export async function sendMessage(api: Api, message: NewMessage): Promise<void> {
  const { chatId, content, fileIds, clientMessageId } = message;
  const { data, error, response } = await api.POST('/api/chats/{chat_id}/stream', {
    params: { path: { chat_id: chatId } },
    body: { content, client_message_id: clientMessageId, ...(fileIds.length > 0 && { file_ids: [...fileIds] }) },
    parseAs: 'stream',
  });
  if (!response.ok || data === undefined || data === null) throw problemOfBody(response, error);
  await readStart(data);
}

// The first event says that the message is stored. Nobody waits for the others.
async function readStart(stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let head = '';
  try {
    while (head.length < MAX_HEAD_CHARACTERS) {
      const { value, done } = await reader.read();
      if (done) break;
      head += decoder.decode(value, { stream: true });
      if (/^event: ?stream_start$/m.test(head)) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  throw problemOfBody({ status: 503, headers: new Headers() }, undefined);
}
