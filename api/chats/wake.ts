import { wakeConversation, wakeSubAgent } from '../../workflows/turns/client.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Wakes the conversation in the background; when the engine is down, the sweeper does so later. */
export function wake({ temporal, log }: ApiContext, orgId: string, chatId: string): void {
  wakeConversation(temporal, { orgId, chatId }).catch((error: unknown) => {
    log.warn({ err: error, chatId }, 'the conversation could not be woken; the sweeper will');
  });
}

/**
 * Wakes the sub-agent that works in the chat; when the engine is down, the sub-agent looks at its rows once it is back.
 */
export function wakeSubAgentOf({ temporal, log }: ApiContext, orgId: string, chatId: string): void {
  wakeSubAgent(temporal, { orgId, chatId }).catch((error: unknown) => {
    log.warn({ err: error, chatId }, 'the sub-agent could not be woken; it looks at its rows by itself');
  });
}
