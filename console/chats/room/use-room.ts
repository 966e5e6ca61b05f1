import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { useComposing } from '../composer/use-composing.ts';
import { useDueMessage } from '../composer/unsent.ts';
import { useOutbox } from '../composer/use-outbox.ts';
import type { ChatTurn, Message } from '../connection/merge-messages.ts';
import type { ChatConnection } from '../connection/chat-connection.ts';
import { useAttachments } from '../files/use-attachments.ts';
import { useChatChanges, useExclude, useFork, useQueueChanges } from '../queries.ts';
import { useChatView } from '../use-chat-connection.ts';
import type { ChatActions } from './chat-actions.tsx';
import { type Chat, isAtWork, phaseOf } from '../phase.ts';

const ESCAPE_WITHIN_MS = 1_500;

/** What an open chat shows, and what can be done in it. */
export type Room = ReturnType<typeof useRoom>;

/** Returns what an open chat shows, and what its user can do in it. */
export function useRoom(chat: Chat, connection: ChatConnection, isOwner: boolean) {
  const toast = useToast();
  const { rename, stop } = useChatChanges(chat.id);
  const messages = useChatView(connection, (view) => view.messages);
  const isLoaded = useChatView(connection, (view) => view.isLoaded);
  const link = useChatView(connection, (view) => view.link);
  const work = useChatView(connection, (view) => view.work);
  const isSlow = useChatView(connection, (view) => view.isSlow);
  const { outbox, outgoing } = useOutbox(chat.id, connection, messages);
  const attaching = useAttachments(chat.id);
  const exclude = useExclude(chat.id, connection);
  const { withdraw } = useQueueChanges(chat.id, connection);
  const fork = useForkAndOpen(chat.id);
  const [stopping, setStopping] = useState<string>();
  const turns = useChatView(connection, (view) => view.turns);
  const { shown, queued } = useMemo(() => divide(turns, new Set(work.map(({ turnId }) => turnId))), [turns, work]);
  const composing = useComposing({ chatId: chat.id, connection, outbox, attachments: attaching.attachments, queued });
  useDueMessage({
    chatId: chat.id,
    draft: composing.draft,
    files: attaching.list,
    isOpen: outbox !== undefined && attaching.attachments !== undefined,
    send: composing.send,
  });
  const running = work.at(-1)?.turnId ?? shown.find(({ answer }) => answer === undefined)?.turnId;
  const isStopping = stopping !== undefined && stopping === running;
  const view = { link, work };
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
    edit: composing.edit,
    retry: composing.retry,
    exclude: (ids, excluded) => exclude.mutate({ ids, excluded }, { onError }),
    excludeFrom: (id) => exclude.mutate({ ids: [id], excluded: true, fromHereOn: true }, { onError }),
    fork,
  };
  const editQueued = (message: Message) =>
    composing.edit({ turnId: message.turn_id, question: message, answer: undefined });
  useEscape(isOwner && isWorking, stopTurn);
  const lastQueued = queued.at(-1);
  return {
    connection,
    link,
    isSlow,
    isLoaded,
    phase: phaseOf({ view, chat, isStopping }),
    isAtWork: isWorking,
    isStopping,
    shown,
    queued,
    outbox,
    outgoing,
    attaching,
    composing,
    actions: useStable(actions),
    stop: stopTurn,
    waiting: {
      sendNow: stopTurn,
      change: editQueued,
      withdraw: ({ id }: Message) => withdraw.mutate(id, { onError }),
      withdrawingId: withdraw.isPending ? withdraw.variables : undefined,
    },
    editQueued: lastQueued === undefined || !isOwner ? undefined : () => editQueued(lastQueued),
    /** The newest turn that has an answer. */
    lastAnswered: shown.findLast(({ answer }) => answer !== undefined),
    rename: (title: string) => rename.mutate(title, { onError }),
  };
}

/** Returns what begins another chat with what was said up to a message, and opens it. */
function useForkAndOpen(chatId: string): (messageId: string) => void {
  const fork = useFork(chatId);
  const [navigate, orgId, toast] = [useNavigate(), useOrgId(), useToast()];
  return (messageId) => {
    if (fork.isPending) return;
    fork.mutate(messageId, {
      onError: ({ message }) => toast(message, 'failed'),
      onSuccess: ({ id }) => void navigate({ to: '/o/$orgId/chats/$chatId', params: { orgId, chatId: id } }),
    });
  };
}

// The first question without an answer is the one that is being answered; those after it wait.
function divide(all: readonly ChatTurn[], live: ReadonlySet<string>) {
  // Nobody has answered what was taken back before.
  const turns = all.filter(({ answer }) => answer?.metadata_.withdrawn !== true);
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
      edit: (turn) => newest.current.edit(turn),
      retry: (turn) => newest.current.retry(turn),
      exclude: (ids, excluded) => newest.current.exclude(ids, excluded),
      excludeFrom: (id) => newest.current.excludeFrom(id),
      fork: (id) => newest.current.fork(id),
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
