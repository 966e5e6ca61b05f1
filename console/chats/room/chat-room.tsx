import { Square } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type ChatActions, ChatActionsProvider } from './chat-actions.tsx';
import classes from '../chat-page.module.css';
import { ChatTitle } from './chat-title.tsx';
import { Composer } from '../composer/composer.tsx';
import { Queue } from '../composer/queue.tsx';
import { useComposing } from '../composer/use-composing.ts';
import { useOutbox } from '../composer/use-outbox.ts';
import { type ChatConnection, type ChatTurn, type LinkState, turnsOf } from '../connection/index.ts';
import { MessageLog } from '../log/message-log.tsx';
import { Announcement, PhaseLine } from './phase-line.tsx';
import { type Chat, isAtWork, phaseOf } from './phase.ts';
import { useChatChanges, useExclude } from '../queries.ts';
import { useChatView } from '../use-chat-connection.ts';
import { useChatsText } from '../text.ts';

interface ChatRoomProps {
  readonly chat: Chat;
  readonly connection: ChatConnection;
  /** Whether the user may write in it. */
  readonly isOwner: boolean;
  /** '' when it is not known. */
  readonly agentName: string;
}

const ESCAPE_WITHIN_MS = 1_500;

/** Shows an open chat. */
export function ChatRoom({ chat, connection, isOwner, agentName }: ChatRoomProps): ReactNode {
  const text = useChatsText();
  const room = useRoom(chat, connection, isOwner);
  const { phase, shown, queued, outbox, outgoing, actions, composing, stop } = room;
  const { draft, setDraft } = composing;
  return (
    <ChatActionsProvider value={actions}>
      <section className={classes.room} aria-label={showInvisible(chat.title)}>
        <header className={classes.head}>
          <ChatTitle title={chat.title} onRename={isOwner ? room.rename : undefined} />
          <span className={classes.agent}>{showInvisible(agentName)}</span>
          <PhaseLine phase={phase} />
          {isOwner && room.isAtWork && (
            <Button look="danger" title={text.stopHint} busy={room.isStopping} onClick={stop}>
              <Square aria-hidden />
              {text.stop}
            </Button>
          )}
        </header>
        <MessageLog chatId={chat.id} connection={connection} turns={shown} agentName={agentName} />
        <Composer
          text={draft}
          onText={setDraft}
          onSend={composing.send}
          placeholder={text.composer.placeholder(showInvisible(agentName))}
          reason={
            reasonOf(room.link, isOwner, text.composer) ?? (composing.isSending ? text.composer.sending : undefined)
          }
          onEditLast={room.editLast}
        >
          <Queue
            queued={queued}
            outgoing={outgoing}
            onSendNow={isOwner ? stop : undefined}
            onRetry={(id) => outbox?.retry(id)}
            onDiscard={({ clientMessageId }) => outbox?.remove(new Set([clientMessageId]))}
            onTakeBack={({ clientMessageId, content }) => {
              setDraft(draft === '' ? content : `${content}\n\n${draft}`);
              outbox?.remove(new Set([clientMessageId]));
            }}
          />
          {composing.isChanging && (
            <p className={classes.editing}>
              {text.composer.editing}
              <Button look="quiet" busy={composing.isSending} onClick={composing.keep}>
                {text.composer.stopEditing}
              </Button>
            </p>
          )}
        </Composer>
        <Announcement
          phase={phase}
          isLoaded={room.isLoaded}
          lastTurn={shown.findLast(({ answer }) => answer !== undefined)}
        />
      </section>
    </ChatActionsProvider>
  );
}

function useRoom(chat: Chat, connection: ChatConnection, isOwner: boolean) {
  const toast = useToast();
  const { rename, stop, decide } = useChatChanges(chat.id);
  const messages = useChatView(connection, (view) => view.messages);
  const isLoaded = useChatView(connection, (view) => view.isLoaded);
  const link = useChatView(connection, (view) => view.link);
  const live = useChatView(connection, (view) => view.live);
  const { outbox, outgoing } = useOutbox(chat.id, connection, messages);
  const exclude = useExclude(chat.id, (message) => connection.takeMessage(message));
  const composing = useComposing({ chatId: chat.id, connection, outbox });
  const [stopping, setStopping] = useState<string>();
  const turns = useMemo(() => turnsOf(messages), [messages]);
  const { shown, queued } = useMemo(() => divide(turns, new Set(live.map(({ turnId }) => turnId))), [turns, live]);
  const running = live.at(-1)?.turnId ?? shown.find(({ answer }) => answer === undefined)?.turnId;
  const isStopping = stopping !== undefined && stopping === running;
  const view = { link, live };
  const isWorking = isAtWork({ view, chat });

  const onError = ({ message }: Error) => toast(message, 'failed');
  const stopTurn = () => {
    setStopping(running);
    stop.mutate(chat.id, {
      onError: (error) => {
        setStopping(undefined);
        onError(error);
      },
    });
  };
  const actions: ChatActions = {
    isOwner,
    stop: (chatId) => stop.mutate(chatId, { onError }),
    decide: (id, approve) => decide.mutate({ id, approve }, { onError }),
    edit: composing.edit,
    retry: composing.retry,
    exclude: (ids, excluded) => exclude.mutate({ ids, excluded }, { onError }),
  };
  useEscape(isOwner && isWorking, stopTurn);
  const last = shown.findLast(({ question }) => question !== undefined && !question.excluded);
  return {
    link,
    isLoaded,
    phase: phaseOf({ view, chat, isStopping }),
    isAtWork: isWorking,
    isStopping,
    shown,
    queued,
    outbox,
    outgoing,
    composing,
    actions: useStable(actions),
    stop: stopTurn,
    editLast: last === undefined || !isOwner ? undefined : () => composing.edit(last),
    rename: (title: string) => rename.mutate(title, { onError }),
  };
}

// The first question without an answer is the one that is being answered; those after it wait.
function divide(turns: readonly ChatTurn[], live: ReadonlySet<string>) {
  const open = turns.filter(({ turnId, answer }) => answer === undefined && !live.has(turnId));
  const waiting = new Set((live.size > 0 ? open : open.slice(1)).map(({ turnId }) => turnId));
  return {
    shown: turns.filter(({ turnId }) => !waiting.has(turnId)),
    queued: open.filter(({ turnId }) => waiting.has(turnId)).flatMap(({ question }) => question ?? []),
  };
}

/** The same object, whose functions do what those of the newest rendering do: rows need not render anew for them. */
function useStable(actions: ChatActions): ChatActions {
  const newest = useRef(actions);
  useEffect(() => {
    newest.current = actions;
  });
  return useMemo(
    () => ({
      isOwner: actions.isOwner,
      stop: (id) => newest.current.stop(id),
      decide: (id, approve) => newest.current.decide(id, approve),
      edit: (turn) => newest.current.edit(turn),
      retry: (turn) => newest.current.retry(turn),
      exclude: (ids, excluded) => newest.current.exclude(ids, excluded),
    }),
    [actions.isOwner],
  );
}

/** Stops by pressing Escape twice: once is too easily done. */
function useEscape(isOn: boolean, stop: () => void): void {
  const newest = useRef(stop);
  useEffect(() => {
    newest.current = stop;
  });
  useEffect(() => {
    if (!isOn) return undefined;
    let last = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      const isSecond = event.timeStamp - last < ESCAPE_WITHIN_MS;
      last = isSecond ? Number.NEGATIVE_INFINITY : event.timeStamp;
      if (isSecond) newest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOn]);
}

function reasonOf(
  link: LinkState,
  isOwner: boolean,
  words: { readonly gone: string; readonly signedOut: string; readonly readOnly: string },
): string | undefined {
  if (link === 'gone') return words.gone;
  if (link === 'signed out') return words.signedOut;
  return isOwner ? undefined : words.readOnly;
}
