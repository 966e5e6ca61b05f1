import type { CallOptions, Schemas } from './api-types.ts';
import { readJson } from './read-json.ts';
import type { Transport } from './transport.ts';
import { type ReadOptions, Turn } from './turn.ts';

/** What sending a message takes. */
export interface SendOptions extends ReadOptions {
  /** Files of the chat that the message names. */
  readonly fileIds?: readonly string[] | undefined;
  /** Names the message: sent again, also by another process, it begins no second turn. A new one unless given. */
  readonly clientMessageId?: string | undefined;
}

/** Conversations, beyond the requests that every resource has. */
export class Chats {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends a message once the result is read, and reads the answer. */
  send(chatId: string, content: string, options: SendOptions = {}): Turn {
    const { fileIds, clientMessageId = crypto.randomUUID(), signal } = options;
    const message = { content, client_message_id: clientMessageId, ...(fileIds && { file_ids: [...fileIds] }) };
    return new Turn(this.#transport, { chatId, message, signal });
  }

  /** Reads the turn that runs in a chat, or the one that `lastEventId` names from where its reader had got to. */
  attach(chatId: string, options: ReadOptions & { readonly lastEventId?: string | undefined } = {}): Turn {
    return new Turn(this.#transport, { chatId, ...options });
  }

  /** Adds a file to a chat: name it in `fileIds` of a message. */
  async upload(chatId: string, file: File, options: CallOptions = {}): Promise<Schemas['ChatFile']> {
    const body = new FormData();
    body.set('file', file);
    const request = {
      method: 'POST',
      template: '/api/chats/{chat_id}/files',
      path: { chat_id: chatId },
      body,
    } as const;
    return this.#transport.send({ ...request, ...options }, readJson<Schemas['ChatFile']>);
  }
}
