/** What a board needs to know of a card. */
export interface BoardCard {
  readonly id: string;
  readonly status: string;
  readonly title: string;
}

/** A column of a board, with the cards that are shown of it in their order. */
export interface BoardColumn<C extends BoardCard> {
  readonly key: string;
  readonly title: string;
  readonly cards: readonly C[];
  /** All that the server has in this column. */
  readonly total: number;
}

/** A place on a board; `index` counts the cards of the column without the one that is to stand there. */
export interface Position {
  readonly column: string;
  readonly index: number;
}

/** How two cards of a column are ordered, where their order is not for people to choose. */
export type Order<C> = (one: C, other: C) => number;

/** The ways that arrow keys lead. */
export type Direction = 'up' | 'down' | 'left' | 'right' | 'first' | 'last';

type Columns<C extends BoardCard> = readonly BoardColumn<C>[];

/** Returns where a card stands; undefined for one that is not shown. */
export function positionOf<C extends BoardCard>(columns: Columns<C>, cardId: string): Position | undefined {
  for (const { key, cards } of columns) {
    const index = cards.findIndex(({ id }) => id === cardId);
    if (index !== -1) return { column: key, index };
  }
  return undefined;
}

/** Returns the columns with a card at another place. */
export function withCardAt<C extends BoardCard>(columns: Columns<C>, cardId: string, position: Position): Columns<C> {
  const card = columns.flatMap(({ cards }) => cards).find(({ id }) => id === cardId);
  if (card === undefined) return columns;
  return columns.map((column) => {
    const cards = column.cards.filter(({ id }) => id !== cardId);
    return { ...column, cards: column.key === position.column ? cards.toSpliced(position.index, 0, card) : cards };
  });
}

/** Returns the card that an arrow leads to; undefined at the edge. Columns without cards are passed over. */
export function neighbourOf<C extends BoardCard>(
  columns: Columns<C>,
  cardId: string,
  direction: Direction,
): C | undefined {
  const position = positionOf(columns, cardId);
  if (position === undefined) return undefined;
  const at = columns.findIndex(({ key }) => key === position.column);
  const own = columns[at]?.cards ?? [];
  if (direction === 'first') return own[0];
  if (direction === 'last') return own.at(-1);
  if (direction === 'up') return own[position.index - 1];
  if (direction === 'down') return own[position.index + 1];
  const beside = direction === 'right' ? columns.slice(at + 1) : columns.slice(0, at).toReversed();
  const { cards = [] } = beside.find((column) => column.cards.length > 0) ?? {};
  return cards[Math.min(position.index, cards.length - 1)];
}

/** Returns where an arrow moves a lifted card from a place: the same place at an edge. */
export function positionBeside<C extends BoardCard>(
  columns: Columns<C>,
  card: C,
  from: Position,
  direction: Direction,
  order?: Order<C>,
): Position {
  const at = columns.findIndex(({ key }) => key === from.column);
  const step = { left: -1, right: 1, up: 0, down: 0, first: 0, last: 0 }[direction];
  const column = columns[at + step];
  if (column === undefined) return from;
  const others = column.cards.filter(({ id }) => id !== card.id);
  if (order !== undefined) return { column: column.key, index: indexBy(others, card, order) };
  const wanted = {
    left: from.index,
    right: from.index,
    up: from.index - 1,
    down: from.index + 1,
    first: 0,
    last: others.length,
  };
  return { column: column.key, index: Math.max(0, Math.min(others.length, wanted[direction])) };
}

/** Returns where a card comes to stand among others that have an order of their own. */
export function indexBy<C>(others: readonly C[], card: C, order: Order<C>): number {
  const index = others.findIndex((other) => order(card, other) < 0);
  return index === -1 ? others.length : index;
}
