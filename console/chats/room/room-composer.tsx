import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useAgents } from '../../agents/queries.ts';
import { useNow } from '../../core/clock.ts';
import { useDraftText } from '../../core/drafts.ts';
import { useCan, useIsAdvanced, useOwnPermissions } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import type { LinkState } from '../../core/socket/lasting-socket.ts';
import { formatDuration, timeFromNow, timeOfDay } from '../../core/text/formats.ts';
import { Button } from '../../ui/controls/button.tsx';
import { UploadList } from '../../ui/files/files.tsx';
import type { Upload } from '../../ui/files/uploads.ts';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chats.module.css';
import type { Command, Mention } from '../composer/choices.tsx';
import { Composer, LongPaste } from '../composer/composer.tsx';
import type { OutgoingMessage } from '../composer/outbox.ts';
import { Queue } from '../composer/queue.tsx';
import { useChatFiles } from '../files/queries.ts';
import { useAttachFiles } from '../files/use-attachments.ts';
import type { Chat, Phase } from '../phase.ts';
import { type ChatsText, useChatsText } from '../text.ts';
import { ContextBar } from './context-bar.tsx';
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
  /** Leads to the files of the chat. */
  readonly onFilesOpen: () => void;
}

/** Where one writes in a chat, with what waits to be sent and what is attached above it. */
export function RoomComposer(props: RoomComposerProps): ReactNode {
  const { chat, room, isOwner, agentName, onChain } = props;
  const text = useChatsText();
  const { composing, attaching, outbox } = room;
  const draft = useDraftText(composing.draft);
  const [pasted, setPasted] = useState('');
  const attach = useAttach(room, isOwner);
  const takeBack = useTakeBack(chat.id, room);
  return (
    <Composer
      text={draft}
      onText={composing.draft.write}
      onSend={composing.send}
      isFirst={isOwner}
      reach={composing.changedTurnId}
      placeholder={text.composer.placeholder(showInvisible(agentName))}
      reason={reasonOf(room.link, isOwner, text) ?? waitOf(composing.isSending, attaching.list, text)}
      hint={draft === '' && attaching.list.length > 0 ? text.composer.wordsToo : undefined}
      onStop={stopOf(room, isOwner)}
      isStopping={room.isStopping}
      onEscape={keepOf(composing)}
      onEditQueued={room.editQueued}
      sent={useSent(room)}
      onFiles={attach}
      onLongText={setPasted}
      commands={useCommands(props)}
      mentions={useMentions(chat)}
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
      <LongPaste pasted={pasted} onPasted={setPasted} draft={draft} onDraft={composing.draft.write} onFiles={attach} />
      <UploadList label={text.files.label} uploads={attaching.attachments} list={attaching.list} />
    </Composer>
  );
}

interface ProviderActions {
  /** Leads to where the chain of the chat is chosen; undefined for who may not. */
  readonly onChain: (() => void) | undefined;
  /** Stops the turn that waits; undefined for who may not. */
  readonly onStop: (() => void) | undefined;
}

interface WaitNoteProps extends ProviderActions {
  readonly phase: Phase;
}

/** Says above the composer what the running turn waits for, until when, and where that can be changed. */
function WaitNote({ phase, ...actions }: WaitNoteProps): ReactNode {
  const text = useChatsText().waiting;
  const orgId = useOrgId();
  if (phase.kind === 'provider') return <ProviderNote until={phase.until} {...actions} />;
  if (phase.kind === 'place' || phase.kind === 'worker') return <p className={classes.note}>{text[phase.kind]}</p>;
  if (phase.kind !== 'approval') return null;
  return (
    <p className={classes.note}>
      {text.approval}
      <Link to="/o/$orgId/inbox" params={{ orgId }}>
        {text.inbox}
      </Link>
    </p>
  );
}

function ProviderNote({ until, onChain, onStop }: ProviderActions & { readonly until: string | null }): ReactNode {
  const text = useChatsText().waiting;
  const orgId = useOrgId();
  const [mayView, mayAdd, isAdvanced] = [useCan('providers.view'), useCan('providers.manage'), useIsAdvanced()];
  const maySee = mayView && isAdvanced;
  return (
    <div className={classes.note}>
      {until === null ? text.providerSoon : <Until until={until} />}
      {maySee && (
        <Link to="/o/$orgId/providers" params={{ orgId }}>
          {mayAdd ? text.addAccount : text.accounts}
        </Link>
      )}
      {onChain !== undefined && maySee && (
        <Button variant="quiet" onClick={onChain}>
          {text.chain}
        </Button>
      )}
      {onStop !== undefined && (
        <Button variant="quiet" onClick={onStop}>
          {text.stop}
        </Button>
      )}
    </div>
  );
}

function Until({ until }: { readonly until: string }): ReactNode {
  const text = useChatsText().waiting;
  const left = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1_000));
  return text.provider(timeOfDay(until), formatDuration(left));
}

/** Says above the composer that the token budgets of the user are used up, and when some of it is free again. */
function BudgetNote({ answerId }: { readonly answerId: string | undefined }): ReactNode {
  const text = useChatsText().waiting;
  const [orgId, cache] = [useOrgId(), useQueryClient()];
  const usage = useOwnPermissions().data?.usage;
  const isAdvanced = useIsAdvanced();
  const hasBudget = usage !== undefined && usage.budgets.length > 0;
  useEffect(() => {
    // Each answer has used some of it.
    if (hasBudget && answerId !== undefined)
      void cache.invalidateQueries({ queryKey: [orgId, 'permissions', 'me'], exact: true });
  }, [cache, orgId, hasBudget, answerId]);
  if (usage?.is_blocked !== true) return null;
  const { available_at: at } = usage;
  return (
    <output className={classes.note}>
      {at === null ? text.budgetSoon : text.budget(timeFromNow(at))}
      {isAdvanced && (
        <Link to="/o/$orgId/usage" params={{ orgId }}>
          {text.usage}
        </Link>
      )}
    </output>
  );
}

function lastAnswerOf({ lastAnswered }: Room): string | undefined {
  return lastAnswered?.answer?.id;
}

// Says that an earlier question is being changed, and leads back.
function Changing({ composing }: Pick<Room, 'composing'>): ReactNode {
  const { composer: text } = useChatsText();
  return (
    <p className={`row small ${classes.editing}`}>
      {composing.isWaiting ? text.editingWaiting : text.editing}
      <Button variant="quiet" busy={composing.isSending} onClick={composing.keep}>
        {text.stopEditing}
      </Button>
    </p>
  );
}

/** Returns what can be done by a slash and a word, as far as it can be done now. */
function useCommands(props: RoomComposerProps): readonly Command[] {
  const { chat, room, isOwner, onFind, onExport, onChain, onFilesOpen } = props;
  const text = useChatsText().commands;
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const [mayChoose, isAdvanced] = [useCan('providers.view'), useIsAdvanced()];
  const begin = () => void navigate({ to: '/o/$orgId/chats', params: { orgId }, search: { agent: chat.agent_id } });
  const { lastAnswered: last } = room;
  const stop = { name: 'stop', label: text.stop, run: room.stop };
  const retry = { name: 'retry', label: text.retry, run: () => last && room.actions.retry(last) };
  return [
    ...(isOwner && room.isAtWork && !room.isStopping ? [stop] : []),
    ...(isOwner && last?.question !== undefined && !room.isAtWork ? [retry] : []),
    ...(isOwner && mayChoose && isAdvanced ? [{ name: 'model', label: text.chain, run: onChain }] : []),
    { name: 'new', label: text.new, run: begin },
    { name: 'find', label: text.find, run: onFind },
    { name: 'files', label: text.files, run: onFilesOpen },
    { name: 'export', label: text.export, run: onExport },
  ];
}

/** Messages that the arrow keys bring back. */
const MOST_SENT = 50;

/** Returns what was asked in a chat lately, the newest first. */
function useSent({ shown }: Room): readonly string[] {
  return useMemo(
    () =>
      shown
        .slice(-MOST_SENT)
        .toReversed()
        .flatMap(({ question }) => question?.content ?? []),
    [shown],
  );
}

/** Returns the agents that a message can name: those that the agent of the chat may delegate to. */
function useMentions({ agent_id: agentId }: Chat): readonly Mention[] {
  const { data: agents } = useAgents();
  return useMemo(() => {
    const own = agents?.items.find(({ id }) => id === agentId);
    if (own?.tools.includes('agent_spawn') !== true) return [];
    const others = agents?.items.filter(({ id, is_active: isActive }) => id !== agentId && isActive) ?? [];
    return others.map(({ name, description }) => ({ name: showInvisible(name), label: showInvisible(description) }));
  }, [agents, agentId]);
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
    const { draft } = composing;
    draft.write(draft.read() === '' ? content : `${content}\n\n${draft.read()}`);
    const known = new Map(files?.items.map((file) => [file.id, file]));
    attaching.attachments?.addStored(fileIds.map((id) => known.get(id) ?? { id, name: text.unnamed, size: 0 }));
    outbox?.remove(new Set([clientMessageId]));
  };
}

function stopOf({ isAtWork, stop }: Room, isOwner: boolean): (() => void) | undefined {
  return isOwner && isAtWork ? stop : undefined;
}

function keepOf({ isChanging, isSending, keep }: Room['composing']): (() => void) | undefined {
  return isChanging && !isSending ? keep : undefined;
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
