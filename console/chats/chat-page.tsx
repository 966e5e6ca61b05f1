import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgents } from '../agents/index.ts';
import { useCurrentUser } from '../core/session/current-user.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { ChatRoom } from './room/chat-room.tsx';
import { useChat } from './queries.ts';
import { useChatConnection } from './use-chat-connection.ts';

/** One chat: what was said, what happens, and where one writes. */
export function ChatPage(): ReactNode {
  const { chatId } = useParams({ from: '/o/$orgId/chats/$chatId' });
  return <OpenChat key={chatId} chatId={chatId} />;
}

function OpenChat({ chatId }: { readonly chatId: string }): ReactNode {
  const chat = useChat(chatId);
  const connection = useChatConnection(chatId);
  const { data: user } = useCurrentUser();
  const { data: agents } = useAgents();
  return (
    <Loaded query={chat}>
      {(data) =>
        connection === undefined ? null : (
          <ChatRoom
            chat={data}
            connection={connection}
            isOwner={data.user_id === user?.id && data.parent_chat_id === null}
            agentName={agents?.items.find(({ id }) => id === data.agent_id)?.name ?? ''}
          />
        )
      }
    </Loaded>
  );
}
