import { Ellipsis, FileDown, PanelRight, Search, Square } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chat-page.module.css';
import { chooseSendKey, type SendKey, useSendKey } from '../composer/send-key.ts';
import { useChatsText } from '../text.ts';
import { ChatTitle } from './chat-title.tsx';
import type { Chat } from './phase.ts';
import { PhaseLine } from './phase-line.tsx';
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
      <span className={classes.agent}>{showInvisible(agentName)}</span>
      <PhaseLine phase={room.phase} />
      {isOwner && room.isAtWork && (
        <Button look="danger" title={text.stopHint} busy={room.isStopping} onClick={room.stop}>
          <Square aria-hidden />
          {text.stop}
        </Button>
      )}
      <MoreActions onFind={onFind} onExport={onExport} />
      <Button look="quiet" aria-label={text.panel.open} aria-expanded={isPanelOpen} onClick={onPanel}>
        <PanelRight aria-hidden />
      </Button>
    </header>
  );
}

function MoreActions({ onFind, onExport }: Pick<ChatHeadProps, 'onFind' | 'onExport'>): ReactNode {
  const text = useChatsText().menu;
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
        { ...sends('enter', text.enter), heading: text.sendWith },
        sends('mod-enter', text.modEnter),
      ]}
    />
  );
}
