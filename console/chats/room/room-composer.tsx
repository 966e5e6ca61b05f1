import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { UploadList } from '../../ui/files/upload-list.tsx';
import type { Upload } from '../../ui/files/uploads.ts';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chat-page.module.css';
import type { Command } from '../composer/commands.tsx';
import { Composer, LongPaste } from '../composer/composer.tsx';
import type { OutgoingMessage } from '../composer/outbox.ts';
import { Queue } from '../composer/queue.tsx';
import type { LinkState } from '../../core/socket/lasting-socket.ts';
import { ContextBar } from './context-bar.tsx';
import { useChatFiles } from '../files/queries.ts';
import { useAttachFiles } from '../files/use-attachments.ts';
import { type ChatsText, useChatsText } from '../text.ts';
import type { Chat } from '../phase/phase.ts';
import { BudgetNote, WaitNote } from '../phase/wait-note.tsx';
import type { Room } from './use-room.ts';

interface RoomComposerProps {
  readonly chat: Chat;
  readonly room: Room;
  /** Whether the user may write in the chat. */
  readonly isOwner: boolean;
  readonly agentName: string;
  readonly onFind: () => void;
  readonly onExport: () => void;
  /** Leads to where the chain of the chat is chosen. */
  readonly onChain: () => void;
}

/** Where one writes in a chat, with what waits to be sent and what is attached above it. */
export function RoomComposer(props: RoomComposerProps): ReactNode {
  const { chat, room, isOwner, agentName, onChain } = props;
  const text = useChatsText();
  const { composing, attaching, outbox } = room;
  const { draft, setDraft } = composing;
  const [pasted, setPasted] = useState('');
  const attach = useAttach(room, isOwner);
  const takeBack = useTakeBack(chat.id, room);
  return (
    <Composer
      text={draft}
      onText={setDraft}
      onSend={composing.send}
      isFirst={isOwner}
      reach={composing.changedTurnId}
      placeholder={text.composer.placeholder(showInvisible(agentName))}
      reason={reasonOf(room.link, isOwner, text) ?? waitOf(composing.isSending, attaching.list, text)}
      hint={draft === '' && attaching.list.length > 0 ? text.composer.wordsToo : undefined}
      onEditLast={room.editLast}
      onFiles={attach}
      onLongText={setPasted}
      commands={useCommands(props)}
      aside={<ContextBar connection={room.connection} />}
    >
      <WaitNote
        phase={room.phase}
        onChain={isOwner ? onChain : undefined}
        onStop={isOwner && !room.isStopping ? room.stop : undefined}
      />
      {isOwner && <BudgetNote answerId={lastAnswerOf(room)} />}
      <Queue
        queued={room.queued}
        outgoing={room.outgoing}
        waiting={isOwner ? room.waiting : undefined}
        onRetry={(id) => outbox?.retry(id)}
        onDiscard={({ clientMessageId }) => outbox?.remove(new Set([clientMessageId]))}
        onTakeBack={takeBack}
      />
      {composing.isChanging && <Changing composing={composing} />}
      {attach !== undefined && <Pasted text={pasted} composing={composing} onText={setPasted} attach={attach} />}
      <UploadList label={text.files.label} uploads={attaching.attachments} list={attaching.list} />
    </Composer>
  );
}

function lastAnswerOf({ lastAnswered }: Room): string | undefined {
  return lastAnswered?.answer?.id;
}

// Says that an earlier question is being changed, and leads back.
function Changing({ composing }: Pick<Room, 'composing'>): ReactNode {
  const { composer: text } = useChatsText();
  return (
    <p className={classes.editing}>
      {composing.isWaiting ? text.editingWaiting : text.editing}
      <Button look="quiet" busy={composing.isSending} onClick={composing.keep}>
        {text.stopEditing}
      </Button>
    </p>
  );
}

interface PastedProps extends Pick<Room, 'composing'> {
  /** The long text that was pasted; '' for none. */
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly attach: (files: readonly File[]) => void;
}

// Offers to attach a long text that stands in the field.
function Pasted({ text, composing: { draft, setDraft }, onText, attach }: PastedProps): ReactNode {
  if (text === '' || !draft.includes(text)) return null;
  return (
    <LongPaste
      pasted={text}
      onKeep={() => onText('')}
      onAttach={(file) => {
        setDraft(draft.replace(text, () => '').trim());
        onText('');
        attach([file]);
      }}
    />
  );
}

/** Returns what can be done by a slash and a word, as far as it can be done now. */
function useCommands({ chat, room, isOwner, onFind, onExport }: RoomComposerProps): readonly Command[] {
  const text = useChatsText().commands;
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const begin = () => void navigate({ to: '/o/$orgId/chats', params: { orgId }, search: { agent: chat.agent_id } });
  const stop = { name: 'stop', label: text.stop, run: room.stop };
  return [
    ...(isOwner && room.isAtWork && !room.isStopping ? [stop] : []),
    { name: 'new', label: text.new, run: begin },
    { name: 'find', label: text.find, run: onFind },
    { name: 'export', label: text.export, run: onExport },
  ];
}

/** Returns what attaches files to the message; undefined for who may not write. */
export function useAttach({ attaching, link }: Room, isOwner: boolean): ((files: readonly File[]) => void) | undefined {
  const attach = useAttachFiles(attaching);
  return isOwner && link !== 'gone' && link !== 'signed out' ? attach : undefined;
}

// A message that was not sent comes back with its files, whose names are read when there are any.
function useTakeBack(chatId: string, { composing, attaching, outbox, outgoing }: Room) {
  const text = useChatsText().files;
  const { data: files } = useChatFiles(
    chatId,
    outgoing.some(({ fileIds }) => fileIds.length > 0),
  );
  return ({ clientMessageId, content, fileIds }: OutgoingMessage) => {
    const { draft, setDraft } = composing;
    setDraft(draft === '' ? content : `${content}\n\n${draft}`);
    const known = new Map(files?.items.map((file) => [file.id, file]));
    attaching.attachments?.addStored(fileIds.map((id) => known.get(id) ?? { id, name: text.unnamed, size: 0 }));
    outbox?.remove(new Set([clientMessageId]));
  };
}

function reasonOf(link: LinkState, isOwner: boolean, { composer: text }: ChatsText): string | undefined {
  if (link === 'gone') return text.gone;
  if (link === 'signed out') return text.signedOut;
  return isOwner ? undefined : text.readOnly;
}

function waitOf(isSending: boolean, files: readonly Upload[], { composer: text }: ChatsText): string | undefined {
  if (isSending) return text.sending;
  if (files.some(({ state }) => state === 'failed')) return text.notUploaded;
  return files.some(({ state }) => state !== 'ready') ? text.uploading : undefined;
}
