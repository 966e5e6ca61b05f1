import { PanelRight, Square } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chat-page.module.css';
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
}

/** The head of an open chat: what it is called, what happens in it, and what can be done with it as a whole. */
export function ChatHead({ chat, room, isOwner, agentName, isPanelOpen, onPanel }: ChatHeadProps): ReactNode {
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
      <Button look="quiet" aria-label={text.panel.open} aria-expanded={isPanelOpen} onClick={onPanel}>
        <PanelRight aria-hidden />
      </Button>
    </header>
  );
}
