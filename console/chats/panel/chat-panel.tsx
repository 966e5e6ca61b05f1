import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMedia } from '../../core/browser/use-media.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import type { Chat } from '../phase/phase.ts';
import type { Room } from '../room/use-room.ts';
import { useChatsText } from '../text.ts';
import { DetailsTab } from './details-tab.tsx';
import { FilesTab } from './files-tab.tsx';
import classes from './panel.module.css';
import { StepsTab } from './steps-tab.tsx';

interface ChatPanelProps {
  readonly chat: Chat;
  readonly room: Room;
  readonly isOwner: boolean;
  readonly agentName: string;
  readonly tab: string;
  /** Shows another tab; undefined closes the panel. */
  readonly onTab: (tab: string | undefined) => void;
}

/** There is room beside the messages from here on; else it is a sheet over them. */
const NARROW = '(max-width: 70rem)';

/** What else there is about a chat: its steps, its files and its details. */
export function ChatPanel({ chat, room, isOwner, agentName, tab, onTab }: ChatPanelProps): ReactNode {
  const text = useChatsText().panel;
  const isNarrow = useMedia(NARROW);
  const tabs = (
    <Tabs
      label={text.label}
      value={tab}
      onValueChange={onTab}
      tabs={[
        { value: 'steps', label: text.steps, content: <StepsTab connection={room.connection} turns={room.shown} /> },
        { value: 'files', label: text.files, content: <FilesTab chatId={chat.id} isOwner={isOwner} /> },
        {
          value: 'details',
          label: text.details,
          content: <DetailsTab chat={chat} agentName={agentName} isOwner={isOwner} connection={room.connection} />,
        },
      ]}
    />
  );
  if (isNarrow)
    return (
      <Dialog open onClose={() => onTab(undefined)} title={text.label}>
        {tabs}
      </Dialog>
    );
  return (
    <aside className={classes.panel} aria-label={text.label}>
      <Button look="quiet" className={classes.close} aria-label={text.close} onClick={() => onTab(undefined)}>
        <X aria-hidden />
      </Button>
      {tabs}
    </aside>
  );
}
