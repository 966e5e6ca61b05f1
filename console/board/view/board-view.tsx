import { type ReactNode, useState } from 'react';
import { showInvisible } from '../../ui/visible.ts';
import { useBoardText } from '../text.ts';
import classes from './board-view.module.css';
import { Column } from './column.tsx';
import {
  type BoardCard,
  type BoardColumn,
  type Direction,
  neighbourOf,
  type Order,
  type Position,
  positionBeside,
  positionOf,
  withCardAt,
} from './columns.ts';

/** What a board shows, and what can be done on it. */
export interface BoardViewProps<C extends BoardCard> {
  /** What stands on it, for those who do not see it. */
  readonly label: string;
  readonly columns: readonly BoardColumn<C>[];
  /** The order within each column, where people do not choose it. */
  readonly order?: Order<C>;
  /** Why nothing can be moved; undefined when it can. */
  readonly refusal: string | undefined;
  /** Shows what is in a card: a link with its title, and what else is worth a look. */
  readonly renderFace: (card: C, link: CardLink) => ReactNode;
  /** The columns that the menu of a card offers. */
  readonly targetsOf: (card: C) => readonly string[];
  readonly onMove: (card: C, position: Position) => void;
  /** Adds a card to a column; undefined where nobody can. */
  readonly onAdd?: ((column: string) => void) | undefined;
  /** Whether cards can be added to a column; to each unless given. */
  readonly canAdd?: (column: string) => boolean;
  /** Is told which column somebody was in last. */
  readonly onColumn: (column: string) => void;
  /** Is told that the end of a column is near. */
  readonly onEnd?: (column: string) => void;
}

/** What the link of a card has to carry to be reached and moved by keys. */
export interface CardLink {
  readonly ref: (element: HTMLAnchorElement | null) => void;
  readonly tabIndex: number;
  readonly draggable: false;
  readonly 'aria-describedby': string;
}

/** A card that was lifted, and where it is held. */
interface Lifted {
  readonly id: string;
  readonly position: Position;
}

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'first',
  End: 'last',
};

/** The columns of a board, whose cards are moved by a pointer, by keys and by a menu. */
export function BoardView<C extends BoardCard>(props: BoardViewProps<C>): ReactNode {
  const { label, columns, refusal, onMove } = props;
  const text = useBoardText();
  const { lifted, wanted, said, focusOn, onKey, putBack, moveBy } = useKeys(props);
  const shown = lifted === undefined ? columns : withCardAt(columns, lifted.id, lifted.position);
  return (
    <div className={`column flex-1 ${classes.frame}`}>
      <p id="board-keys" className="hidden">
        {refusal ?? text.keys}
      </p>
      {/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-interactions -- it listens
          for its cards, whose links have the focus */}
      <div
        role="group"
        aria-label={label}
        className={classes.board}
        onPointerDown={putBack}
        onKeyDown={(event) => {
          const card = event.target instanceof Element ? event.target.closest('[data-card]') : null;
          const id = card?.getAttribute('data-card');
          if (typeof id === 'string' && onKey(id, event.key)) event.preventDefault();
        }}
      >
        {shown.map((column) => (
          <Column
            key={column.key}
            {...props}
            column={column}
            columns={columns}
            liftedId={lifted?.id}
            focusedId={wanted}
            onFocused={focusOn}
            onMove={(card, position) => {
              putBack();
              onMove(card, position);
            }}
            onMoveTo={moveBy}
          />
        ))}
      </div>
      {/* oxlint-enable */}
      <output className="hidden" aria-live="assertive">
        {showInvisible(said)}
      </output>
    </div>
  );
}

function useKeys<C extends BoardCard>({ columns, order, refusal, onMove, onColumn }: BoardViewProps<C>) {
  const text = useBoardText();
  const [lifted, setLifted] = useState<Lifted>();
  const [wanted, setWanted] = useState<string>();
  const [said, setSaid] = useState('');
  const cardOf = (id: string) => columns.flatMap(({ cards }) => cards).find((card) => card.id === id);
  const titleOf = (key: string) => columns.find((column) => column.key === key)?.title ?? '';
  const wordsOf = ({ column, index }: Position, id: string) => {
    const others = columns.find(({ key }) => key === column)?.cards.filter((card) => card.id !== id) ?? [];
    return text.position(titleOf(column), index + 1, others.length + 1);
  };
  const focusOn = (id: string | undefined) => {
    setWanted(id);
    const position = id === undefined ? undefined : positionOf(columns, id);
    if (position !== undefined) onColumn(position.column);
  };
  const putBack = () => {
    if (lifted === undefined) return;
    setSaid(text.putBack(cardOf(lifted.id)?.title ?? ''));
    setLifted(undefined);
  };
  const drop = (card: C, position: Position) => {
    setLifted(undefined);
    setWanted(card.id);
    setSaid(text.dropped(card.title, wordsOf(position, card.id)));
    onColumn(position.column);
    onMove(card, position);
  };
  const moveBy = (card: C, column: string) => {
    const others = columns.find(({ key }) => key === column)?.cards.filter(({ id }) => id !== card.id) ?? [];
    const index = order === undefined ? 0 : others.filter((other) => order(other, card) <= 0).length;
    drop(card, { column, index });
  };
  const walk = (card: C, direction: Direction) => {
    if (lifted === undefined) {
      focusOn(neighbourOf(columns, card.id, direction)?.id ?? card.id);
      return;
    }
    const position = positionBeside(columns, card, lifted.position, direction, order);
    setLifted({ id: card.id, position });
    setWanted(card.id);
    setSaid(wordsOf(position, card.id));
  };
  const lift = (card: C) => {
    const position = positionOf(columns, card.id);
    if (refusal !== undefined || position === undefined) return setSaid(refusal ?? '');
    setLifted({ id: card.id, position });
    setSaid(text.lifted(card.title, wordsOf(position, card.id)));
  };
  const stepTo = (card: C, step: number) => {
    const at = columns.findIndex(({ key }) => key === card.status);
    const column = columns[at + step];
    if (refusal === undefined && column !== undefined) moveBy(card, column.key);
  };
  /** Does what a key means on a card that is held; no other key leads away from it. */
  const onLiftedKey = (card: C, position: Position, key: string): boolean => {
    if (key === ' ') drop(card, position);
    else if (key === 'Escape') putBack();
    else return key === 'Tab' || key === 'Enter';
    return true;
  };
  /** Does what a key means on a card; returns whether it means anything. */
  const onKey = (id: string, key: string): boolean => {
    const card = cardOf(id);
    const direction = DIRECTIONS[key];
    if (card === undefined) return false;
    if (direction === undefined && lifted !== undefined) return onLiftedKey(card, lifted.position, key);
    if (direction !== undefined) walk(card, direction);
    else if (key === ' ') lift(card);
    else if (key === ']') stepTo(card, 1);
    else if (key === '[') stepTo(card, -1);
    else return false;
    return true;
  };
  return { lifted, wanted, said, focusOn, onKey, putBack, moveBy };
}
