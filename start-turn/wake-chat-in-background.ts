import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { type ChatToWake, wakeChat } from '../workflows/turns/client.ts';

export interface WakeDeps {
  readonly temporal: Client;
  readonly log: Logger;
}

/**
 * Wakes the workflow of a chat without waiting for the engine. When the engine is down, the sweeper wakes a
 * conversation later, and a sub-agent looks at its rows once it is back.
 */
export function wakeChatInBackground({ temporal, log }: WakeDeps, chat: ChatToWake): void {
  wakeChat(temporal, chat).catch((error: unknown) => {
    log.warn({ err: error, chatId: chat.chatId }, 'the workflow of a chat could not be woken; it goes on later');
  });
}
