import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Ellipsis, Plus } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { formatNumber } from '../../core/text/formats.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useBoardText } from '../text.ts';
import classes from './board-view.module.css';
import type { BoardViewProps } from './board-view.tsx';
import { type BoardCard, type BoardColumn, type Position, indexBy } from './columns.ts';

interface ColumnProps<C extends BoardCard> extends BoardViewProps<C> {
  readonly column: BoardColumn<C>;
  /** The card that was lifted by keys. */
  readonly liftedId: string | undefined;
  /** The card that is to have the focus. */
  readonly focusedId: string | undefined;
  readonly onFocused: (cardId: string) => void;
  readonly onMoveTo: (card: C, column: string) => void;
}

const ESTIMATED_PX = 64;
const GAP_PX = 8;
const OVERSCAN = 6;

/** How many cards before the last one the next page is asked for. */
const NEAR_END = 20;

/** A column; only the cards in sight are in the document. */
export function Column<C extends BoardCard>(props: ColumnProps<C>): ReactNode {
  const { column, focusedId, onAdd, canAdd = () => true, onEnd } = props;
  const { key, title, cards, total } = column;
  const text = useBoardText();
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- its functions are called here, and given to nobody
  const rows = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_PX,
    getItemKey: (index) => cards[index]?.id ?? index,
    gap: GAP_PX,
    paddingStart: GAP_PX,
    paddingEnd: GAP_PX,
    overscan: OVERSCAN,
  });
  const items = rows.getVirtualItems();
  const focusedIndex = cards.findIndex(({ id }) => id === focusedId);
  useEffect(() => {
    if (focusedIndex !== -1) rows.scrollToIndex(focusedIndex);
  }, [focusedIndex, rows]);
  const isNearEnd = nearsEnd(items.at(-1)?.index, column);
  useEffect(() => {
    if (isNearEnd) onEnd?.(key);
  }, [isNearEnd, cards.length, key, onEnd]);
  const indexAt = (clientY: number, movedId: string) => {
    const list = scroller.current;
    if (list === null) return 0;
    const y = clientY - list.getBoundingClientRect().top + list.scrollTop;
    const below = rows.measurementsCache.findIndex(({ start, size }) => y < start + size / 2);
    const index = below === -1 ? cards.length : below;
    const own = cards.findIndex(({ id }) => id === movedId);
    return own !== -1 && own < index ? index - 1 : index;
  };
  const over = useDropTarget(props, scroller, indexAt);
  const tabStop = focusedIndex === -1 ? items[0]?.index : focusedIndex;
  return (
    <section
      className={classes.column}
      aria-label={text.column(title, total)}
      data-over={over !== undefined || undefined}
    >
      <header className={`line ${classes.head}`}>
        <h2>{title}</h2>
        <span className="soft tabular-nums flex-1">{formatNumber(total)}</span>
        {onAdd !== undefined && canAdd(key) && (
          <button type="button" className={classes.add} aria-label={text.addTo(title)} onClick={() => onAdd(key)}>
            <Plus aria-hidden />
          </button>
        )}
      </header>
      <div ref={scroller} className={classes.scroller}>
        <ul className="relative" aria-label={title} style={{ blockSize: rows.getTotalSize() }}>
          {items.map(({ key: rowKey, index, start }) => {
            const card = cards[index];
            return card === undefined ? null : (
              <Card
                key={rowKey}
                {...props}
                card={card}
                index={index}
                count={cards.length}
                start={start}
                measure={rows.measureElement}
                isTabStop={index === tabStop}
                isLifted={card.id === props.liftedId}
                isWanted={card.id === focusedId}
              />
            );
          })}
        </ul>
        {over !== undefined && <DropLine at={offsetOf(over, rows.measurementsCache, cards, props)} />}
      </div>
    </section>
  );
}

interface CardProps<C extends BoardCard> extends BoardViewProps<C> {
  readonly card: C;
  readonly index: number;
  /** The cards of its column. */
  readonly count: number;
  /** How far from the top of its column it stands, in pixels. */
  readonly start: number;
  readonly measure: (element: Element | null) => void;
  /** Whether the Tab key leads to it. */
  readonly isTabStop: boolean;
  readonly isLifted: boolean;
  /** Whether it is to have the focus. */
  readonly isWanted: boolean;
  readonly onFocused: (cardId: string) => void;
  readonly onMoveTo: (card: C, column: string) => void;
}

/** A card, which is dragged, lifted by keys, or moved by its menu. */
function Card<C extends BoardCard>(props: CardProps<C>): ReactNode {
  const { card, index, count, start, measure, isTabStop, isLifted, isWanted, refusal, onFocused } = props;
  const { id } = card;
  const element = useRef<HTMLLIElement>(null);
  const [link, setLink] = useState<HTMLAnchorElement | null>(null);
  const [isDragged, setIsDragged] = useState(false);
  useEffect(() => {
    if (element.current === null || refusal !== undefined) return undefined;
    return draggable({
      element: element.current,
      getInitialData: () => ({ cardId: id }),
      onDragStart: () => setIsDragged(true),
      onDrop: () => setIsDragged(false),
    });
  }, [id, refusal]);
  useEffect(() => {
    if (isWanted) link?.focus({ preventScroll: true });
  }, [isWanted, link]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its link has the focus
    <li
      ref={(node) => {
        element.current = node;
        measure(node);
      }}
      data-index={index}
      data-card={id}
      data-lifted={isLifted || undefined}
      data-dragged={isDragged || undefined}
      aria-setsize={count}
      aria-posinset={index + 1}
      className={`card ${classes.card}`}
      style={{ translate: `0 ${start}px` }}
      onFocus={({ target }) => !isWanted && link === (target as Element) && onFocused(id)}
    >
      {props.renderFace(card, {
        ref: setLink,
        tabIndex: isTabStop ? 0 : -1,
        draggable: false,
        'aria-describedby': 'board-keys',
      })}
      {refusal === undefined && <MoveMenu {...props} />}
    </li>
  );
}

function MoveMenu<C extends BoardCard>({ card, columns, targetsOf, onMoveTo }: CardProps<C>): ReactNode {
  const text = useBoardText();
  const targets = columns.filter(({ key }) => targetsOf(card).includes(key));
  if (targets.length === 0) return null;
  return (
    <Menu
      className={classes.menu}
      label={text.move(showInvisible(card.title))}
      trigger={<Ellipsis aria-hidden />}
      items={targets.map(({ key, title }, at) => ({
        key,
        label: title,
        ...(at === 0 && { heading: text.moveTo }),
        run: () => onMoveTo(card, key),
      }))}
    />
  );
}

function nearsEnd(lastSeen = 0, { cards, total }: BoardColumn<BoardCard>): boolean {
  return lastSeen >= cards.length - NEAR_END && cards.length < total;
}

function DropLine({ at }: { readonly at: number }): ReactNode {
  return <div aria-hidden className={classes.line} style={{ translate: `0 ${at}px` }} />;
}

interface Over {
  readonly cardId: string;
  readonly index: number;
}

// Where the line stands before which the card is put: among the cards as they stand, its own one included.
function offsetOf<C extends BoardCard>(
  { cardId, index }: Over,
  measured: readonly { readonly start: number; readonly end: number }[],
  cards: readonly C[],
  { columns, order }: ColumnProps<C>,
): number {
  const moved = columns.flatMap((column) => column.cards).find(({ id }) => id === cardId);
  const others = cards.filter(({ id }) => id !== cardId);
  const target = order !== undefined && moved !== undefined ? indexBy(others, moved, order) : index;
  const own = cards.findIndex(({ id }) => id === cardId);
  const at = own !== -1 && target >= own ? target + 1 : target;
  const row = measured[at];
  return row === undefined ? (measured.at(-1)?.end ?? 0) + GAP_PX / 2 : row.start - GAP_PX / 2;
}

function useDropTarget<C extends BoardCard>(
  props: ColumnProps<C>,
  scroller: RefObject<HTMLDivElement | null>,
  indexAt: (clientY: number, movedId: string) => number,
): Over | undefined {
  const [over, setOver] = useState<Over>();
  const newest = useRef({ props, indexAt });
  useEffect(() => {
    newest.current = { props, indexAt };
  });
  useEffect(() => {
    const { current: element } = scroller;
    if (element === null) return undefined;
    const positionOf = (cardId: string, clientY: number): Position => ({
      column: newest.current.props.column.key,
      index: newest.current.indexAt(clientY, cardId),
    });
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => typeof source.data['cardId'] === 'string',
      onDrag: ({ source, location }) => {
        const cardId = String(source.data['cardId']);
        const { index } = positionOf(cardId, location.current.input.clientY);
        setOver((before) => (before?.cardId === cardId && before.index === index ? before : { cardId, index }));
      },
      onDragLeave: () => setOver(undefined),
      onDrop: ({ source, location }) => {
        setOver(undefined);
        const cardId = String(source.data['cardId']);
        const { columns, order, onMove } = newest.current.props;
        const card = columns.flatMap(({ cards }) => cards).find(({ id }) => id === cardId);
        const position = positionOf(cardId, location.current.input.clientY);
        if (card === undefined || (order !== undefined && card.status === position.column)) return;
        onMove(card, position);
      },
    });
  }, [scroller]);
  return over;
}
