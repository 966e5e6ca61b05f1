import type { ReactNode } from 'react';
import { formatNumber } from '../../core/text/numbers.ts';
import { dateAndTime } from '../../core/text/times.ts';
import { Facts } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { ChatConnection, Message } from '../connection/index.ts';
import { contextUseOf } from '../context/context-use.ts';
import type { Chat } from '../phase/phase.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import { ChatSettings } from './chat-settings.tsx';

interface DetailsTabProps {
  readonly chat: Chat;
  readonly agentName: string;
  readonly isOwner: boolean;
  readonly connection: ChatConnection;
}

/** Shows what is known of a chat as a whole. */
export function DetailsTab({ chat, agentName, isOwner, connection }: DetailsTabProps): ReactNode {
  const text = useChatsText().panel;
  const messages = useChatView(connection, (view) => view.messages);
  const olderCount = useChatView(connection, (view) => view.olderCount);
  const last = messages.findLast(({ role }) => role === 'assistant');
  const context = contextUseOf(messages);
  return (
    <>
      <Facts
        facts={[
          { label: text.agent, value: showInvisible(agentName) },
          { label: text.model, value: showInvisible(last?.metadata_.model ?? '–') },
          { label: text.account, value: showInvisible(last?.provider_used ?? '–') },
          { label: text.begun, value: dateAndTime(chat.created_at) },
          { label: text.messages, value: formatNumber(messages.length + olderCount) },
          { label: text.tokens, value: formatNumber(messages.reduce((sum, message) => sum + tokensOf(message), 0)) },
          ...(context === undefined ? [] : [{ label: text.context, value: text.contextOf(context) }]),
          ...(isOwner ? [] : [{ label: text.shared, value: chat.shared ? text.yes : text.no }]),
        ]}
      />
      {isOwner && <ChatSettings chat={chat} />}
    </>
  );
}

function tokensOf({ metadata_: { usage } }: Message): number {
  return (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
}
