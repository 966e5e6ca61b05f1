import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import type { ChatConnection, ChatTurn, LiveTurn } from '../connection/index.ts';
import { useChatView } from '../use-chat-connection.ts';
import classes from './message-log.module.css';
import { TurnView } from './turn-view.tsx';
import { useChatsText } from '../text.ts';

interface MessageLogProps {
  readonly connection: ChatConnection;
  readonly turns: readonly ChatTurn[];
  readonly agentName: string;
}

const ESTIMATED_PX = 240;
/** Whoever reads within this distance of the end sees what is added; others stay where they are. */
const NEAR_END_PX = 80;
const OVERSCAN = 4;

/** Shows the turns of a chat; only those in sight are in the document. */
export function MessageLog({ connection, turns, agentName }: MessageLogProps): ReactNode {
  const text = useChatsText();
  const scroller = useRef<HTMLDivElement>(null);
  const live = useChatView(connection, (view) => view.live);
  const corrected = useChatView(connection, (view) => view.correctedIds);
  // What the end was when the reader left it; undefined for who is there.
  const [leftAt, setLeftAt] = useState<string>();
  const end = endOf(turns, live);
  // oxlint-disable-next-line react/incompatible-library -- its functions are called here, and given to nobody
  const rows = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_PX,
    getItemKey: (index) => turns[index]?.turnId ?? index,
    overscan: OVERSCAN,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_END_PX,
  });
  const hasTurns = turns.length > 0;
  useEffect(() => {
    if (hasTurns) rows.scrollToEnd();
  }, [hasTurns, rows]);
  return (
    <div className={classes.frame}>
      <Older connection={connection} />
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={text.log}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys
        tabIndex={0}
        className={classes.log}
        onScroll={({ currentTarget }) => {
          const isAtEnd = isNearEnd(currentTarget);
          setLeftAt((known) => (isAtEnd ? undefined : (known ?? end)));
        }}
      >
        <div className={classes.rows} style={{ blockSize: rows.getTotalSize() }}>
          <div style={{ translate: `0 ${rows.getVirtualItems()[0]?.start ?? 0}px` }}>
            {rows.getVirtualItems().map(({ key, index }) => {
              const turn = turns[index];
              return turn === undefined ? null : (
                <div key={key} data-index={index} ref={rows.measureElement}>
                  <TurnView
                    turn={turn}
                    live={live.find(({ turnId }) => turnId === turn.turnId)}
                    agentName={agentName}
                    isCorrected={turn.answer !== undefined && corrected.has(turn.answer.id)}
                  />
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {leftAt !== undefined && (
        <Button className={classes.pill} onClick={() => rows.scrollToEnd()}>
          <ArrowDown aria-hidden />
          {leftAt === end ? text.toEnd : text.newBelow}
        </Button>
      )}
    </div>
  );
}

// The same as long as nothing is added: an answer that was stored says no more than it did while it was written.
function endOf(turns: readonly ChatTurn[], live: readonly LiveTurn[]): string {
  const last = turns.at(-1);
  const text = last?.answer?.content ?? live.find(({ turnId }) => turnId === last?.turnId)?.text ?? '';
  return `${last?.turnId} ${text.length}`;
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight <= NEAR_END_PX;
}

function Older({ connection }: { readonly connection: ChatConnection }): ReactNode {
  const text = useChatsText();
  const toast = useToast();
  const count = useChatView(connection, (view) => view.olderCount);
  const [isReading, setIsReading] = useState(false);
  if (count === 0) return null;
  const load = () => {
    setIsReading(true);
    connection
      .loadOlder()
      .catch(() => toast(text.olderFailed, 'failed'))
      .finally(() => setIsReading(false));
  };
  return (
    <Button look="quiet" busy={isReading} className={classes.older} onClick={load}>
      {text.older}
    </Button>
  );
}
