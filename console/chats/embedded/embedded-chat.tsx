import type { ReactNode } from 'react';
import { Loaded } from '../../ui/page/loaded.tsx';
import { type ChatActions, ChatActionsProvider } from '../room/chat-actions.tsx';
import type { ChatConnection } from '../connection/index.ts';
import { MessageLog } from '../log/message-log.tsx';
import { PhaseLine } from '../phase/phase-line.tsx';
import { type Chat, phaseOf } from '../phase/phase.ts';
import { useChat } from '../queries.ts';
import { useChatConnection, useChatView } from '../use-chat-connection.ts';
import classes from './embedded-chat.module.css';

interface EmbeddedChatProps {
  readonly chatId: string;
  /** '' when it is not known. */
  readonly agentName: string;
}

const nothing = () => undefined;
/** What somebody can do who only reads, beside deciding about calls. */
const READER: ChatActions = {
  isOwner: false,
  stop: nothing,
  edit: nothing,
  retry: nothing,
  exclude: nothing,
  excludeFrom: nothing,
  fork: nothing,
};

/**
 * Shows what is said and done in a chat on a page of something else, live and to be read only, but for calls that wait
 * for a decision.
 */
export function EmbeddedChat({ chatId, agentName }: EmbeddedChatProps): ReactNode {
  const chat = useChat(chatId);
  const connection = useChatConnection(chatId);
  return (
    <Loaded query={chat}>
      {(data) =>
        connection === undefined ? null : <OpenLog chat={data} connection={connection} agentName={agentName} />
      }
    </Loaded>
  );
}

interface OpenLogProps {
  readonly chat: Chat;
  readonly connection: ChatConnection;
  readonly agentName: string;
}

function OpenLog({ chat, connection, agentName }: OpenLogProps): ReactNode {
  const link = useChatView(connection, (view) => view.link);
  const work = useChatView(connection, (view) => view.work);
  const turns = useChatView(connection, (view) => view.turns);
  return (
    <ChatActionsProvider value={READER}>
      <div className={classes.chat}>
        <div className={classes.phase}>
          <PhaseLine phase={phaseOf({ view: { link, work }, chat, isStopping: false })} connection={connection} />
        </div>
        <MessageLog chatId={chat.id} connection={connection} turns={turns} agentName={agentName} finding={undefined} />
      </div>
    </ChatActionsProvider>
  );
}
