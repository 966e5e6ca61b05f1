import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useAgents } from '../agents/index.ts';
import { useCurrentUser } from '../core/session/current-user.ts';
import { useDrafts } from '../core/drafts.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { keepOpened } from './log/seen.ts';
import type { Chat } from './phase/phase.ts';
import { ChatRoom } from './room/chat-room.tsx';
import { useChat } from './queries.ts';
import { useChatConnection } from './use-chat-connection.ts';

/** One chat: what was said, what happens, and where one writes. */
export function ChatPage(): ReactNode {
  const { chatId } = useParams({ from: '/o/$orgId/chats/$chatId' });
  return <OpenChat key={chatId} chatId={chatId} />;
}

/** Notes how far a chat has been seen to change, for the list: as long as somebody looks. */
function useOpened(chat: Chat | undefined): void {
  const drafts = useDrafts();
  useEffect(() => {
    if (chat === undefined) return undefined;
    const note = () => {
      if (!document.hidden) keepOpened(drafts, chat.id, chat.updated_at);
    };
    note();
    document.addEventListener('visibilitychange', note);
    return () => document.removeEventListener('visibilitychange', note);
  }, [drafts, chat]);
}

function OpenChat({ chatId }: { readonly chatId: string }): ReactNode {
  const chat = useChat(chatId);
  const connection = useChatConnection(chatId);
  useOpened(chat.data);
  const { data: user } = useCurrentUser();
  const { data: agents } = useAgents();
  return (
    <Loaded query={chat} isKept>
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
