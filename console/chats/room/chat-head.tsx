import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, FileDown, PanelRight, Pencil, Printer, Search, Trash2 } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { nameTab } from '../../core/browser/browser.ts';
import { useCan } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useChains } from '../../provider-chains/queries.ts';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chats.module.css';
import { type SendKey, chooseSendKey, useSendKey } from '../composer/composer.tsx';
import { PhaseLine } from '../phase-line.tsx';
import type { Chat } from '../phase.ts';
import { useDeleteChat } from '../queries.ts';
import { useChatsText } from '../text.ts';
import type { Room } from './use-room.ts';

interface ChatHeadProps {
  readonly chat: Chat;
  readonly room: Room;
  readonly isOwner: boolean;
  readonly agentName: string;
  readonly isPanelOpen: boolean;
  readonly onPanel: () => void;
  readonly onFind: () => void;
  readonly onExport: () => void;
  readonly onPrint: () => void;
}

/** The head of an open chat: what it is called, what happens in it, and what can be done with it as a whole. */
export function ChatHead(props: ChatHeadProps): ReactNode {
  const { chat, room, isOwner, agentName, isPanelOpen, onPanel, onFind, onExport, onPrint } = props;
  const text = useChatsText();
  return (
    <header className={`line ${classes.head}`}>
      <ChatTitle title={chat.title} onRename={isOwner ? room.rename : undefined} />
      <span className={`muted ${classes.agent}`}>
        {showInvisible(agentName)}
        <ChainName chainId={chat.provider_chain_id} />
      </span>
      <PhaseLine phase={room.phase} connection={room.connection} />
      <MoreActions chat={chat} isOwner={isOwner} onFind={onFind} onExport={onExport} onPrint={onPrint} />
      <Button
        icon={PanelRight}
        variant="quiet"
        aria-label={text.panel.open}
        aria-expanded={isPanelOpen}
        onClick={onPanel}
      />
    </header>
  );
}

interface ChatTitleProps {
  readonly title: string;
  /** Undefined when it cannot be changed. */
  readonly onRename: ((title: string) => void) | undefined;
}

/** The heading of a chat, which can be changed in its place. It has the focus when the chat is opened. */
function ChatTitle({ title, onRename }: ChatTitleProps): ReactNode {
  const text = useChatsText();
  const heading = useRef<HTMLHeadingElement>(null);
  const [draft, setDraft] = useState<string>();
  useEffect(() => {
    nameTab(title);
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  if (draft === undefined) {
    return (
      <>
        <h1 ref={heading} tabIndex={-1} className={classes.title}>
          {showInvisible(title)}
        </h1>
        {onRename !== undefined && (
          <Button icon={Pencil} variant="quiet" aria-label={text.rename} onClick={() => setDraft(title)} />
        )}
      </>
    );
  }
  return (
    <form
      className={classes.rename}
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() !== '' && draft !== title) onRename?.(draft.trim());
        setDraft(undefined);
      }}
    >
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it replaces the button that was pressed
        autoFocus
        value={draft}
        maxLength={200}
        aria-label={text.titleLabel}
        className={classes.titleField}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && setDraft(undefined)}
      />
      <Button type="submit">{text.save}</Button>
    </form>
  );
}

/** Names the chain that was chosen for a chat; nothing while its agent's goes. */
function ChainName({ chainId }: { readonly chainId: string | null }): ReactNode {
  const text = useChatsText().menu;
  const maySee = useCan('providers.view');
  const { data: chains } = useChains(maySee && chainId !== null);
  const chain = chainId === null ? undefined : chains?.find(({ id }) => id === chainId);
  return chain === undefined ? null : ` · ${text.chain(showInvisible(chain.name))}`;
}

type MoreActionsProps = Pick<ChatHeadProps, 'chat' | 'isOwner' | 'onFind' | 'onExport' | 'onPrint'>;

function MoreActions({ chat, isOwner, onFind, onExport, onPrint }: MoreActionsProps): ReactNode {
  const text = useChatsText().menu;
  const remove = useDelete(chat);
  const sendKey = useSendKey();
  const sends = (key: SendKey, label: string) => ({
    key,
    label,
    isChosen: sendKey === key,
    run: () => chooseSendKey(key),
  });
  return (
    <Menu
      label={text.label}
      className={buttonClass('quiet')}
      trigger={<Ellipsis aria-hidden />}
      items={[
        { key: 'find', label: text.find, icon: <Search aria-hidden />, run: onFind },
        { key: 'export', label: text.export, icon: <FileDown aria-hidden />, run: onExport },
        { key: 'print', label: text.print, icon: <Printer aria-hidden />, run: onPrint },
        ...(isOwner ? [{ key: 'delete', label: text.delete, icon: <Trash2 aria-hidden />, run: remove }] : []),
        { ...sends('enter', text.enter), heading: text.sendWith },
        sends('mod-enter', text.modEnter),
      ]}
    />
  );
}

/** Returns what deletes a chat, leaves its page, and offers to bring it back. */
function useDelete({ id, title }: Pick<Chat, 'id' | 'title'>): () => void {
  const text = useChatsText().menu;
  const [navigate, orgId, toast] = [useNavigate(), useOrgId(), useToast()];
  const { remove, restore } = useDeleteChat(id);
  const fail = ({ message }: Error) => toast(message, 'failed');
  const undo = async () => {
    await restore();
    await navigate({ to: '/o/$orgId/chats/$chatId', params: { orgId, chatId: id } });
  };
  const leave = async () => {
    await navigate({ to: '/o/$orgId/chats', params: { orgId } });
    toast(text.deleted(showInvisible(title)), 'done', { label: text.undo, run: () => void undo().catch(fail) });
  };
  return () => {
    if (!remove.isPending) remove.mutate(undefined, { onError: fail, onSuccess: () => void leave() });
  };
}
