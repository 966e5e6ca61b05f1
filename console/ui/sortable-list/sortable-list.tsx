import { ArrowDown, ArrowDownToLine, ArrowUp, ArrowUpToLine, GripVertical } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { buttonClass } from '../controls/button.tsx';
import { Menu, type MenuItem } from '../overlays/menu.tsx';
import classes from './sortable-list.module.css';
import { useSortableText } from '../text.ts';

interface SortableListProps<T> {
  /** What is put in order, for those who do not see it. */
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The name of a row, in what is read out. */
  readonly nameOf: (row: T) => string;
  readonly onOrderChange: (rows: readonly T[]) => void;
  readonly children: (row: T, position: number) => ReactNode;
}

/**
 * A list in an order that is changed by dragging a row, by Alt with an arrow key at its handle, or by the menu that the
 * handle opens. Each move is read out.
 */
export function SortableList<T>(props: SortableListProps<T>): ReactNode {
  const { label, rows, keyOf, nameOf, onOrderChange, children } = props;
  const text = useSortableText();
  const [id, list] = [useId(), useRef<HTMLOListElement>(null)];
  const [said, setSaid] = useState('');
  const move = (from: number, to: number) => {
    const row = rows[from];
    if (row === undefined || to < 0 || to >= rows.length || to === from) return;
    onOrderChange(moved(rows, from, to));
    setSaid(text.moved(nameOf(row), to + 1, rows.length));
  };
  return (
    <>
      <p className={classes.hint}>{text.hint}</p>
      <ol ref={list} className="stack gap-1" aria-label={label}>
        {rows.map((row, at) => (
          <Row
            key={keyOf(row)}
            rowKey={keyOf(row)}
            list={id}
            name={nameOf(row)}
            position={at}
            count={rows.length}
            onMove={(to) => move(at, to)}
            onDrop={(key) =>
              move(
                rows.findIndex((each) => keyOf(each) === key),
                at,
              )
            }
          >
            {children(row, at)}
          </Row>
        ))}
      </ol>
      <output className="hidden">{said}</output>
    </>
  );
}

interface RowProps {
  readonly rowKey: string;
  readonly list: string;
  readonly name: string;
  readonly position: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
  readonly onDrop: (key: string) => void;
  readonly children: ReactNode;
}

function Row({ rowKey, list, name, position, count, onMove, onDrop, children }: RowProps): ReactNode {
  const text = useSortableText();
  const element = useRef<HTMLLIElement>(null);
  const isOver = useRowDrag(element, { list, key: rowKey, onDrop });
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    event.stopPropagation();
    onMove(event.key === 'ArrowUp' ? position - 1 : position + 1);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the controls within
    <li
      ref={element}
      className={`line card ${classes.row}`}
      data-over={isOver || undefined}
      onKeyDownCapture={onKeyDown}
    >
      <Menu
        label={text.move(name)}
        className={`${buttonClass('quiet')} ${classes.handle}`}
        trigger={<GripVertical aria-hidden />}
        items={movesOf(text, position, count, onMove)}
      />
      <div className="wrap-anywhere flex-1 min-w-0">{children}</div>
    </li>
  );
}

function movesOf(
  text: ReturnType<typeof useSortableText>,
  position: number,
  count: number,
  onMove: (to: number) => void,
): readonly MenuItem[] {
  const last = count - 1;
  const up: MenuItem[] = [
    { key: 'up', label: text.up, icon: <ArrowUp aria-hidden />, run: () => onMove(position - 1) },
    { key: 'first', label: text.first, icon: <ArrowUpToLine aria-hidden />, run: () => onMove(0) },
  ];
  const down: MenuItem[] = [
    { key: 'down', label: text.down, icon: <ArrowDown aria-hidden />, run: () => onMove(position + 1) },
    { key: 'last', label: text.last, icon: <ArrowDownToLine aria-hidden />, run: () => onMove(last) },
  ];
  return [...(position > 0 ? up : []), ...(position < last ? down : [])];
}

/** Returns rows of which one is at another place. */
function moved<T>(rows: readonly T[], from: number, to: number): readonly T[] {
  const others = rows.filter((_, at) => at !== from);
  return [...others.slice(0, to), ...rows.slice(from, from + 1), ...others.slice(to)];
}

const KIND = Symbol('row of a sortable list');

interface RowDrag {
  readonly list: string;
  readonly key: string;
  /** Called with the key of a row that was dropped on this one. */
  readonly onDrop: (key: string) => void;
}

/** Lets a row be dragged to the place of another one of its list. Returns whether one is above it now. */
function useRowDrag(element: RefObject<HTMLElement | null>, { list, key, onDrop }: RowDrag): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onDrop);
  useEffect(() => {
    latest.current = onDrop;
  });
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const isOther = (data: Record<string | symbol, unknown>) => data[KIND] === list && data['key'] !== key;
    return combine(
      draggable({ element: current, getInitialData: () => ({ [KIND]: list, key }) }),
      dropTargetForElements({
        element: current,
        canDrop: ({ source }) => isOther(source.data),
        onDragEnter: () => setIsOver(true),
        onDragLeave: () => setIsOver(false),
        onDrop: ({ source }) => {
          setIsOver(false);
          if (typeof source.data['key'] === 'string') latest.current(source.data['key']);
        },
      }),
    );
  }, [element, list, key]);
  return isOver;
}
