import { Ellipsis, FileDown, PanelRight, Search, Square, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chat-page.module.css';
import { useCan } from '../../core/permissions.ts';
import { useChains } from '../../provider-chains/index.ts';
import { chooseSendKey, type SendKey, useSendKey } from '../composer/send-key.ts';
import { useChatsText } from '../text.ts';
import type { Chat } from '../phase/phase.ts';
import { PhaseLine } from '../phase/phase-line.tsx';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { useDeleteChat } from '../queries.ts';
import { ChatTitle } from './chat-title.tsx';
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
}

/** The head of an open chat: what it is called, what happens in it, and what can be done with it as a whole. */
export function ChatHead(props: ChatHeadProps): ReactNode {
  const { chat, room, isOwner, agentName, isPanelOpen, onPanel, onFind, onExport } = props;
  const text = useChatsText();
  return (
    <header className={classes.head}>
      <ChatTitle title={chat.title} onRename={isOwner ? room.rename : undefined} />
      <span className={classes.agent}>
        {showInvisible(agentName)}
        <ChainName chainId={chat.provider_chain_id} />
      </span>
      <PhaseLine phase={room.phase} connection={room.connection} />
      {isOwner && room.isAtWork && (
        <Button look="danger" title={text.stopHint} busy={room.isStopping} onClick={room.stop}>
          <Square aria-hidden />
          {text.stop}
        </Button>
      )}
      <MoreActions chat={chat} isOwner={isOwner} onFind={onFind} onExport={onExport} />
      <Button look="quiet" aria-label={text.panel.open} aria-expanded={isPanelOpen} onClick={onPanel}>
        <PanelRight aria-hidden />
      </Button>
    </header>
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

type MoreActionsProps = Pick<ChatHeadProps, 'chat' | 'isOwner' | 'onFind' | 'onExport'>;

function MoreActions({ chat, isOwner, onFind, onExport }: MoreActionsProps): ReactNode {
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
