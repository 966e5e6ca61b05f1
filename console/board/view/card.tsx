import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { Ellipsis } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Menu } from '../../ui/overlays/menu.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useBoardText } from '../text.ts';
import type { BoardViewProps } from './board-view.tsx';
import classes from './board-view.module.css';
import type { BoardCard } from './columns.ts';

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
export function Card<C extends BoardCard>(props: CardProps<C>): ReactNode {
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
      className={classes.card}
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
