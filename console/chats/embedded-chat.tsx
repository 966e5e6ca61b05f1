import type { ReactNode } from 'react';
import { Loaded } from '../ui/page/page.tsx';
import type { ChatConnection, ChatView } from './connection/chat-connection.ts';
import { nameOf, type Step } from './connection/step-tree.ts';
import classes from './chats.module.css';
import { MessageLog } from './log/message-log.tsx';
import { PhaseLine } from './phase-line.tsx';
import { type Chat, phaseOf } from './phase.ts';
import { useChat } from './queries.ts';
import { type ChatActions, ChatActionsProvider } from './room/chat-actions.tsx';
import { useChatsText } from './text.ts';
import { useChatConnection, useChatView } from './use-chat-connection.ts';

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
      <div className={classes.embeddedChat}>
        <div className={classes.embeddedPhase}>
          <PhaseLine phase={phaseOf({ view: { link, work }, chat, isStopping: false })} connection={connection} />
        </div>
        <MessageLog chatId={chat.id} connection={connection} turns={turns} agentName={agentName} finding={undefined} />
      </div>
    </ChatActionsProvider>
  );
}

/** Says in one line what an agent does in a chat right now. It holds a socket as long as it is shown. */
export function NewestStep({ chatId }: { readonly chatId: string }): ReactNode {
  const connection = useChatConnection(chatId);
  return connection === undefined ? null : <StepWords connection={connection} />;
}

function StepWords({ connection }: { readonly connection: ChatConnection }): ReactNode {
  const text = useChatsText();
  const step = useChatView(connection, newestOf);
  const isWriting = useChatView(connection, ({ work }) => work.at(-1)?.isWriting === true);
  if (isWriting) return text.phase.writing;
  return step === undefined ? text.phase.asking : nameOf(step);
}

function newestOf({ work }: Pick<ChatView, 'work'>): Step | undefined {
  const steps = work.at(-1)?.steps ?? [];
  return steps.findLast(({ status }) => status === 'running') ?? steps.at(-1);
}
