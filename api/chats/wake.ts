import { wakeConversation, wakeSubAgent } from '../../workflows/turns/client.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Tells the engine in the background; when it is away, the sweeper does so later. */
export function wake({ temporal, log }: ApiContext, orgId: string, chatId: string): void {
  wakeConversation(temporal, { orgId, chatId }).catch((error: unknown) => {
    log.warn({ err: error, chatId }, 'the conversation could not be woken; the sweeper will');
  });
}

/** The same for the sub-agent that works in the chat; when the engine is away, it looks at its rows when it is back. */
export function wakeSubAgentOf({ temporal, log }: ApiContext, orgId: string, chatId: string): void {
  wakeSubAgent(temporal, { orgId, chatId }).catch((error: unknown) => {
    log.warn({ err: error, chatId }, 'the sub-agent could not be woken; it looks at its rows by itself');
  });
}
