import { useMutation } from '@tanstack/react-query';
import { useDraft, useDraftText } from '../../core/drafts.ts';
import { useToast } from '../../ui/overlays/toast.tsx';
import type { ChatTurn, Message } from '../connection/merge-messages.ts';
import type { ChatConnection } from '../connection/chat-connection.ts';
import { useChatsText } from '../text.ts';
import { useExclude, useQueueChanges } from '../queries.ts';
import type { Uploads } from '../../ui/files/uploads.ts';
import type { Outbox } from './outbox.ts';

interface ComposingOptions {
  readonly chatId: string;
  readonly connection: ChatConnection;
  /** Undefined until it is open. */
  readonly outbox: Outbox | undefined;
  /** What is attached to the message; undefined until it is open. */
  readonly attachments: Uploads | undefined;
  /** The questions that wait for the turns before them. */
  readonly queued: readonly Message[];
}

/**
 * Returns what is being written in a chat, and what sends it: a new message, or an earlier question that is changed.
 * What was typed before a question was taken into the composer is put aside, and comes back after it.
 */
export function useComposing({ chatId, connection, outbox, attachments, queued }: ComposingOptions) {
  const toast = useToast();
  const draft = useDraft(`chat.${chatId}`);
  const changing = useDraft(`chat.${chatId}.changing`);
  const aside = useDraft(`chat.${chatId}.aside`);
  const turnId = useDraftText(changing);
  const ask = useAskInstead({ chatId, connection, outbox });
  const attached = () => attachments?.list().flatMap(({ fileId }) => fileId ?? []) ?? [];
  const { change: changeQueued } = useQueueChanges(chatId, connection);
  const onError = ({ message }: Error) => toast(message, 'failed');
  const isSending = ask.isPending || changeQueued.isPending;
  const leave = (text: string) => {
    draft.write(text);
    aside.write('');
    changing.write('');
  };
  const waiting = queued.find(({ turn_id: id }) => id === turnId);
  const change = () => {
    const sent = draft.read();
    const content = sent.trim();
    // What was typed meanwhile was not sent.
    const done = () => leave(draft.read() === sent ? aside.read() : joined(aside.read(), draft.read()));
    // One that waits keeps its place and its files. Once it is being answered it is asked anew, as all others.
    if (waiting !== undefined) return changeQueued.mutate({ id: waiting.id, content }, { onError, onSuccess: done });
    const onSuccess = (isTaken: boolean) => {
      if (!isTaken) return;
      done();
      attachments?.take();
    };
    return ask.mutate({ turnId, content, fileIds: attached() }, { onError, onSuccess });
  };
  return {
    /** What is being written; whoever shows it reads it. */
    draft,
    isChanging: turnId !== '',
    /** The turn whose question is changed. */
    changedTurnId: turnId === '' ? undefined : turnId,
    /** Whether what is changed still waits to be answered. */
    isWaiting: waiting !== undefined,
    isSending,
    send: () => {
      if (isSending) return;
      if (turnId !== '') change();
      else if (outbox?.add(draft.read().trim(), attached()) === true) {
        draft.write('');
        attachments?.take();
      }
    },
    edit: (turn: ChatTurn) => {
      if (isSending || turn.turnId === turnId) return;
      const written = draft.read();
      aside.write(joined(aside.read(), written === questionOf(connection, turnId) ? '' : written));
      draft.write(turn.question?.content ?? '');
      changing.write(turn.turnId);
    },
    keep: () => {
      if (!isSending) leave(aside.read());
    },
    retry: (turn: ChatTurn) => {
      if (!isSending) ask.mutate({ turnId: turn.turnId }, { onError });
    },
  };
}

/** The turn whose question is asked anew: in other words and with more files, if any are given. */
interface Question {
  readonly turnId: string;
  readonly content?: string;
  readonly fileIds?: readonly string[];
}

/**
 * Returns what leaves a question and all after it out of the conversation, and then asks another one, or the same
 * again. It results in whether the outbox took that.
 */
function useAskInstead({ chatId, connection, outbox }: Pick<ComposingOptions, 'chatId' | 'connection' | 'outbox'>) {
  const text = useChatsText();
  const exclude = useExclude(chatId, connection);
  return useMutation({
    mutationFn: async ({ turnId, content, fileIds = [] }: Question) => {
      const turns = await turnsFrom(connection, turnId);
      const question = turns[0]?.question;
      if (question === undefined) throw new Error(text.notThere);
      await exclude.mutateAsync({ ids: [question.id], excluded: true, fromHereOn: true });
      return outbox?.add(content ?? question.content, [...question.file_ids, ...fileIds]) === true;
    },
  });
}

// After a reload the question may be before the messages that were read. No turns when it is not among all of them.
async function turnsFrom(connection: ChatConnection, turnId: string): Promise<readonly ChatTurn[]> {
  for (;;) {
    const { messages, turns, olderCount } = connection.view;
    const from = turns.findIndex(({ turnId: id, question }) => id === turnId && question !== undefined);
    if (from !== -1) return turns.slice(from);
    if (olderCount === 0) return [];
    await connection.loadOlder();
    if (connection.view.messages === messages) return [];
  }
}

function questionOf(connection: ChatConnection, turnId: string): string | undefined {
  return connection.view.messages.find(({ role, turn_id: id }) => role === 'user' && id === turnId)?.content;
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
