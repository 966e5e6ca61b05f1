import type { ReactNode } from 'react';
import { formatNumber } from '../../core/text/numbers.ts';
import { dateAndTime } from '../../core/text/times.ts';
import { Facts } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { ChatConnection, Message } from '../connection/index.ts';
import type { Chat } from '../room/phase.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';

interface DetailsTabProps {
  readonly chat: Chat;
  readonly agentName: string;
  readonly connection: ChatConnection;
}

/** Shows what is known of a chat as a whole. */
export function DetailsTab({ chat, agentName, connection }: DetailsTabProps): ReactNode {
  const text = useChatsText().panel;
  const messages = useChatView(connection, (view) => view.messages);
  const olderCount = useChatView(connection, (view) => view.olderCount);
  const last = messages.findLast(({ role }) => role === 'assistant');
  return (
    <Facts
      facts={[
        { label: text.agent, value: showInvisible(agentName) },
        { label: text.model, value: showInvisible(last?.metadata_.model ?? '–') },
        { label: text.account, value: showInvisible(last?.provider_used ?? '–') },
        { label: text.begun, value: dateAndTime(chat.created_at) },
        { label: text.messages, value: formatNumber(messages.length + olderCount) },
        { label: text.tokens, value: formatNumber(messages.reduce((sum, message) => sum + tokensOf(message), 0)) },
        { label: text.shared, value: chat.shared ? text.yes : text.no },
      ]}
    />
  );
}

function tokensOf({ metadata_: { usage } }: Message): number {
  return (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
}
