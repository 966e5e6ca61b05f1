import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, lazy, Suspense, useEffect, useState } from 'react';
import { useAgents } from '../agents/queries.ts';
import { saveFile } from '../core/browser/browser.ts';
import { useDrafts } from '../core/drafts.ts';
import { useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import { useShortcut } from '../core/shortcuts.ts';
import { DropZone } from '../ui/files/files.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './chats.module.css';
import type { ChatConnection } from './connection/chat-connection.ts';
import { type Finding, FindBar } from './find/find-bar.tsx';
import { useLinkedMessage } from './find/use-linked-message.ts';
import { MessageLog } from './log/message-log.tsx';
import { keepOpened } from './log/seen.ts';
import { Announcement } from './phase-line.tsx';
import type { Chat } from './phase.ts';
import { useChat } from './queries.ts';
import { ChatActionsProvider } from './room/chat-actions.tsx';
import { chatAsMarkdown, fileNameOf } from './room/chat-as-markdown.ts';
import { ChatHead } from './room/chat-head.tsx';
import { RoomComposer, useAttach } from './room/room-composer.tsx';
import { useRoom } from './room/use-room.ts';
import { useChatsText } from './text.ts';
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
  const { data: user, isPending: isUserUnknown } = useCurrentUser();
  const { data: agents } = useAgents();
  return (
    <Loaded query={chat} isKept>
      {(data) =>
        // Until the user is known, their own chat would be one that they only read, and refuse what they send.
        connection === undefined || isUserUnknown ? null : (
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

const ChatPanel = lazy(async () => ({ default: (await import('./panel/chat-panel.tsx')).ChatPanel }));

interface ChatRoomProps {
  readonly chat: Chat;
  readonly connection: ChatConnection;
  /** Whether the user may write in it. */
  readonly isOwner: boolean;
  /** '' when it is not known. */
  readonly agentName: string;
}

/** Shows an open chat. */
function ChatRoom({ chat, connection, isOwner, agentName }: ChatRoomProps): ReactNode {
  const text = useChatsText();
  const room = useRoom(chat, connection, isOwner);
  const { panel, message } = useSearch({ from: '/o/$orgId/chats/$chatId' });
  const linked = useLinkedMessage(connection, message);
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const [isFinding, setIsFinding] = useState(false);
  const [finding, setFinding] = useState<Finding>();
  const exportChat = useExport(connection, chat.title, agentName);
  const print = usePrint(connection);
  const find = () => setIsFinding(true);
  const endFinding = () => {
    setIsFinding(false);
    setFinding(undefined);
  };
  useShortcut('Mod+f', text.menu.find, find);
  const showPanel = (shown: string | undefined) =>
    void navigate({
      to: '/o/$orgId/chats/$chatId',
      params: { orgId, chatId: chat.id },
      search: shown === undefined ? {} : { panel: shown },
    });
  return (
    <ChatActionsProvider value={room.actions}>
      <div className={classes.open} data-panel={panel === undefined ? undefined : ''}>
        <DropZone
          onFiles={useAttach(room, isOwner)}
          className={classes.room}
          label={showInvisible(chat.title)}
          hint={text.files.drop}
        >
          <ChatHead
            chat={chat}
            room={room}
            isOwner={isOwner}
            agentName={agentName}
            isPanelOpen={panel !== undefined}
            onPanel={() => showPanel(panel === undefined ? 'steps' : undefined)}
            onFind={find}
            onExport={exportChat}
            onPrint={print}
          />
          {isFinding && <FindBar connection={connection} turns={room.shown} onFind={setFinding} onClose={endFinding} />}
          {room.isSlow && <output className={classes.slow}>{text.slow}</output>}
          <MessageLog
            chatId={chat.id}
            connection={connection}
            turns={room.shown}
            agentName={agentName}
            finding={finding ?? linked}
          />
          <RoomComposer
            chat={chat}
            room={room}
            isOwner={isOwner}
            agentName={agentName}
            onFind={find}
            onExport={exportChat}
            onChain={() => showPanel('details')}
            onFilesOpen={() => showPanel('files')}
          />
          <Announcement phase={room.phase} isLoaded={room.isLoaded} lastTurn={room.lastAnswered} />
        </DropZone>
        {panel !== undefined && (
          <Suspense>
            <ChatPanel chat={chat} room={room} isOwner={isOwner} agentName={agentName} tab={panel} onTab={showPanel} />
          </Suspense>
        )}
      </div>
    </ChatActionsProvider>
  );
}

/** Returns what saves a chat as a Markdown file, with all its messages: those that are not known yet are read first. */
function useExport(connection: ChatConnection, title: string, agentName: string): () => void {
  const text = useChatsText();
  const toast = useToast();
  const save = useMutation({
    mutationFn: async () => {
      await readWhole(connection);
      const words = { title, you: text.you, agent: agentName, leftOut: text.menu.leftOut };
      const content = chatAsMarkdown(connection.view.turns, words);
      saveFile(new Blob([content], { type: 'text/markdown' }), fileNameOf(title));
    },
    onError: ({ message }) => toast(text.menu.exportFailed(message), 'failed'),
  });
  return () => {
    if (!save.isPending) save.mutate();
  };
}

/** Returns what prints a chat with all its messages. */
function usePrint(connection: ChatConnection): () => void {
  const text = useChatsText();
  const toast = useToast();
  return () =>
    void readWhole(connection).then(
      () => window.print(),
      ({ message }: Error) => toast(text.menu.printFailed(message), 'failed'),
    );
}

async function readWhole(connection: ChatConnection): Promise<void> {
  while (connection.view.olderCount > 0) await connection.loadOlder();
}
