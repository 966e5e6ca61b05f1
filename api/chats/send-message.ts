import { allowedIds } from '../../domain/permissions/index.ts';
import { type AcceptedMessage, acceptMessage } from '../../db/turns/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { wake } from './wake.ts';

interface SentMessage {
  readonly chatId: string;
  readonly content: string;
  readonly clientMessageId: string | undefined;
}

/**
 * Accepts a message, for every interface alike. When this resolves, the message is stored and will be answered, whether
 * or not the engine could be reached at once.
 */
export async function sendMessage(
  context: ApiContext,
  caller: OrgCaller,
  message: SentMessage,
): Promise<AcceptedMessage> {
  const accepted = await acceptMessage(context.database, caller, {
    ...message,
    allowedAgentIds: allowedIds(caller.policy, 'agentIds'),
    maxBytes: context.orgLimits.messageBytes,
  });
  if (!accepted.isSameContent) {
    context.log.warn(
      { chatId: message.chatId },
      'a repeated client_message_id came with other content; the first stays',
    );
  }
  if (accepted.isNew) wake(context, caller.orgId, message.chatId);
  return accepted;
}
