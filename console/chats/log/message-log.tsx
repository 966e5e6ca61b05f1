import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useMedia } from '../../core/browser/browser.ts';
import { Button } from '../../ui/controls/button.tsx';
import type { Finding } from '../find/find-bar.tsx';
import { useFound } from '../find/use-found.ts';
import type { ChatConnection, LiveTurn } from '../connection/chat-connection.ts';
import type { ChatTurn } from '../connection/merge-messages.ts';
import { WorkspaceFiles } from '../files/workspace-files.tsx';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import classes from './log.module.css';
import { TurnView } from './turn-view.tsx';
import { useUnread } from './seen.ts';
import { useToast } from '../../ui/overlays/toast.tsx';

interface MessageLogProps {
  readonly chatId: string;
  readonly connection: ChatConnection;
  readonly turns: readonly ChatTurn[];
  readonly agentName: string;
  /** What is looked for, and the turn where it was found; undefined while nothing is. */
  readonly finding?: Finding | undefined;
}

const ESTIMATED_PX = 240;
/** Whoever reads within this distance of the end sees what is added; others stay where they are. */
const NEAR_END_PX = 80;
/** What is older is read when somebody comes this close to the first known message. */
const NEAR_BEGIN_PX = 600;
/** The room of the button above the first known message. */
const OLDER_PX = 56;
/** Turns in the document beyond each edge of the view; more exceed the budget of 400 elements. */
const OVERSCAN = 2;

/** Shows the turns of a chat. Only those in sight are in the document, except on paper, which does not scroll. */
export function MessageLog({ chatId, connection, turns, agentName, finding }: MessageLogProps): ReactNode {
  const text = useChatsText();
  const scroller = useRef<HTMLDivElement>(null);
  const wasAtEnd = useRef(false);
  const corrected = useChatView(connection, (view) => view.correctedIds);
  // What the end was when the reader left it; undefined for who is there.
  const [leftAt, setLeftAt] = useState<string>();
  // Not before the end was shown once, and not while the search moves and reads as far as it needs.
  const isNear = () => wasAtEnd.current && finding === undefined && isNearBegin(scroller.current);
  const older = useOlder({ connection, turns, isNear });
  const isLoaded = useChatView(connection, (view) => view.isLoaded);
  const unread = useUnread({ chatId, isLoaded, turns, isAtEnd: leftAt === undefined });
  // oxlint-disable-next-line react/incompatible-library -- its functions are called here, and given to nobody
  const rows = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_PX,
    getItemKey: useCallback((index: number) => turns[index]?.turnId ?? index, [turns]),
    overscan: OVERSCAN,
    paddingStart: older.hasMore ? OLDER_PX : 0,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_END_PX,
  });
  const isPrinted = useMedia('print');
  const shown = isPrinted
    ? turns.map(({ turnId }, index) => ({ key: turnId, index, start: 0 }))
    : rows.getVirtualItems();
  const hasTurns = turns.length > 0;
  const toEnd = useCallback(() => {
    // Skip a log with nothing to scroll: the virtualizer never completes such a command, and a stale correction then
    // overwrites the end when the log grows.
    if (scroller.current !== null && isScrollable(scroller.current)) rows.scrollToEnd();
  }, [rows]);
  // Before the first paint: what is seen first is the end.
  useLayoutEffect(() => {
    if (!hasTurns) return;
    toEnd();
    wasAtEnd.current = true;
  }, [hasTurns, toEnd]);
  useStayAtEnd(scroller, leftAt === undefined && finding === undefined, toEnd);
  useFound(scroller, finding, (turnId) => {
    const index = turns.findIndex((turn) => turn.turnId === turnId);
    if (index !== -1) rows.scrollToIndex(index, { align: 'center' });
  });
  return (
    <WorkspaceFiles chatId={chatId}>
      <div className={classes.frame}>
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
            setLeftAt((known) => (isAtEnd ? undefined : (known ?? endOf(turns, connection.view.live))));
            older.loadIfNear();
          }}
        >
          <div className={classes.rows} style={isPrinted ? undefined : { blockSize: rows.getTotalSize() }}>
            {older.hasMore && (
              <Button variant="quiet" busy={older.isReading} className={classes.older} onClick={older.load}>
                {text.older}
              </Button>
            )}
            <div style={{ translate: `0 ${shown[0]?.start ?? 0}px` }}>
              {shown.map(({ key, index }) => {
                const turn = turns[index];
                return turn === undefined ? null : (
                  <div
                    key={key}
                    data-index={index}
                    data-found={turn.turnId === finding?.turnId ? '' : undefined}
                    ref={isPrinted ? undefined : rows.measureElement}
                  >
                    {turn.turnId === unread && <Unread />}
                    <TurnView
                      connection={connection}
                      turn={turn}
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
          <ToEnd connection={connection} turns={turns} leftAt={leftAt} onClick={() => rows.scrollToEnd()} />
        )}
      </div>
    </WorkspaceFiles>
  );
}

interface ToEndProps extends Pick<MessageLogProps, 'connection' | 'turns'> {
  /** What the end was when the reader left it. */
  readonly leftAt: string;
  readonly onClick: () => void;
}

/** Leads back to the end, and says whether anything has come there. */
function ToEnd({ connection, turns, leftAt, onClick }: ToEndProps): ReactNode {
  const text = useChatsText();
  const isSame = useChatView(connection, ({ live }) => endOf(turns, live) === leftAt);
  return (
    <Button icon={ArrowDown} className={classes.pill} onClick={onClick}>
      {isSame ? text.toEnd : text.newBelow}
    </Button>
  );
}

function Unread(): ReactNode {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a rule holds no words
    <div role="separator" className={`line gap-3 ${classes.unread}`}>
      {useChatsText().unread}
    </div>
  );
}

// The same as long as nothing is added: an answer that was stored says no more than it did while it was written.
function endOf(turns: readonly ChatTurn[], live: readonly LiveTurn[]): string {
  const last = turns.at(-1);
  const text = last?.answer?.content ?? live.find(({ turnId }) => turnId === last?.turnId)?.text ?? '';
  return `${last?.turnId} ${text.length}`;
}

function isNearBegin(element: HTMLElement | null): boolean {
  return element !== null && element.scrollTop < NEAR_BEGIN_PX;
}

function isScrollable({ scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollHeight > clientHeight;
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight <= NEAR_END_PX;
}

/**
 * Keeps a list at its end for whoever is there when it becomes higher or lower: a queue above the composer, or a
 * banner, would hide what is being written.
 */
function useStayAtEnd(scroller: RefObject<HTMLElement | null>, isAtEnd: boolean, toEnd: () => void): void {
  const latest = useRef({ isAtEnd, toEnd });
  useEffect(() => {
    latest.current = { isAtEnd, toEnd };
  });
  useEffect(() => {
    const { current } = scroller;
    // Documents of tests have no layout.
    if (current === null || typeof ResizeObserver === 'undefined') return undefined;
    let height = current.clientHeight;
    const observer = new ResizeObserver(() => {
      const hasChanged = current.clientHeight !== height;
      height = current.clientHeight;
      if (hasChanged && latest.current.isAtEnd) latest.current.toEnd();
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [scroller]);
}

interface OlderOptions {
  readonly connection: ChatConnection;
  readonly turns: readonly ChatTurn[];
  /** Whether the first known message is in sight, or nearly so. */
  isNear(): boolean;
}

/** Returns what reads the messages before those that are known. After a failure only `load` tries again. */
export function useOlder({ connection, turns, isNear }: OlderOptions) {
  const text = useChatsText();
  const toast = useToast();
  const hasMore = useChatView(connection, ({ olderCount }) => olderCount > 0);
  const [state, setState] = useState<'idle' | 'reading' | 'failed'>('idle');
  const load = () => {
    if (state === 'reading') return;
    setState('reading');
    connection
      .loadOlder()
      .then(() => setState('idle'))
      .catch(() => {
        setState('failed');
        toast(text.olderFailed, 'failed');
      });
  };
  const loadIfNear = () => {
    if (hasMore && state === 'idle' && isNear()) load();
  };
  const newest = useRef(loadIfNear);
  useEffect(() => {
    newest.current = loadIfNear;
  });
  // Whoever came to the beginning while a page was on its way scrolls no further.
  useEffect(() => {
    if (turns.length > 0 && state === 'idle') newest.current();
  }, [turns, state]);
  return {
    hasMore,
    isReading: state === 'reading',
    load,
    /** Is called whenever somebody scrolls. */
    loadIfNear,
  };
}
