import { X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useMedia } from '../../core/browser/browser.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import { useCan } from '../../core/permissions.ts';
import { TurnReports } from '../../destinations/index.ts';
import type { ChatConnection } from '../connection/chat-connection.ts';
import type { ChatTurn } from '../connection/merge-messages.ts';
import { Steps } from '../log/steps.tsx';
import { storedSteps } from '../log/stored-steps.ts';
import type { Chat } from '../phase.ts';
import type { Room } from '../room/use-room.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import { DetailsTab } from './details-tab.tsx';
import { FilesTab } from './files-tab.tsx';
import classes from './panel.module.css';

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
  const mayReport = useCan('integrations.view') && isOwner;
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
        ...(mayReport
          ? [{ value: 'reports', label: text.reports, content: <TurnReports of={{ kind: 'chat', id: chat.id }} /> }]
          : []),
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
      <Button variant="quiet" className={classes.close} aria-label={text.close} onClick={() => onTab(undefined)}>
        <X aria-hidden />
      </Button>
      {tabs}
    </aside>
  );
}

interface StepsTabProps {
  readonly connection: ChatConnection;
  readonly turns: readonly ChatTurn[];
}

/** What agents have done for the last answers, the newest first. */
const MAX_TURNS = 10;

/** Shows the steps of the running answer, and of those before it. */
function StepsTab({ connection, turns }: StepsTabProps): ReactNode {
  const text = useChatsText().panel;
  const running = useChatView(connection, (view) => view.work).filter(({ steps }) => steps.length > 0);
  const stored = useMemo(() => lastWithSteps(turns), [turns]);
  if (running.length + stored.length === 0) return <p className="faint">{text.noSteps}</p>;
  return (
    <>
      {running.map(({ turnId, steps }) => (
        <Steps key={turnId} steps={steps} turn={{ chatId: connection.chatId, turnId }} />
      ))}
      {stored.map(({ answer, question, steps, records }) => (
        <section key={answer.id} className={classes.part}>
          <h3 className={classes.question}>{question?.content ?? ''}</h3>
          <Steps steps={steps} turn={{ chatId: answer.chat_id, turnId: answer.turn_id }} records={records} />
        </section>
      ))}
    </>
  );
}

// From the end: a chat may have thousands of turns.
function lastWithSteps(turns: readonly ChatTurn[]) {
  const found = [];
  for (let index = turns.length - 1; index >= 0 && found.length < MAX_TURNS; index -= 1) {
    const { answer, question } = turns[index] ?? {};
    const stored = answer === undefined ? undefined : { answer, question, ...storedSteps(answer) };
    if (stored !== undefined && stored.steps.length > 0) found.push(stored);
  }
  return found;
}
