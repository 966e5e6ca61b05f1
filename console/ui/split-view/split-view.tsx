import { ArrowLeft } from 'lucide-react';
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { browserStorage, NARROW, useMedia } from '../../core/browser/browser.ts';
import { useShortcut } from '../../core/shortcuts.ts';
import { Button } from '../controls/button.tsx';
import classes from './split-view.module.css';
import { useSplitText } from '../text.ts';

interface SplitViewProps {
  /** The name under which the width of the list is kept. */
  readonly name: string;
  /** The keys of the rows, in the order in which they are listed. */
  readonly keys: readonly string[];
  /** The row that is open, as the address says. */
  readonly selected: string | undefined;
  /** The row whose detail stands beside the list while none is open. */
  readonly shown?: string | undefined;
  /** Opens a row, or none. */
  readonly onSelect: (key: string | undefined) => void;
  readonly list: ReactNode;
  /** The row that is open; what stands in its place while none is. */
  readonly detail: ReactNode;
}

/**
 * A list beside what is open of it. `j` and `k` open the next and the previous row. A narrow screen shows one at a
 * time.
 */
export function SplitView({ name, keys, selected, shown, onSelect, list, detail }: SplitViewProps): ReactNode {
  const text = useSplitText();
  const { width, onPointerDown, onKeyDown } = useListWidth(name);
  const listElement = useRef<HTMLDivElement>(null);
  const step = (by: 1 | -1) => {
    const from = selected ?? shown;
    const at = from === undefined ? -1 : keys.indexOf(from);
    const key = keys[at < 0 ? 0 : at + by];
    if (key !== undefined) onSelect(key);
  };
  useShortcut('j', text.next, () => step(1));
  useShortcut('k', text.previous, () => step(-1));
  useEffect(() => {
    if (selected !== undefined)
      listElement.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const backElement = useRef<HTMLDivElement>(null);
  useFocusWhereShown(selected, listElement, backElement);
  const style: CSSProperties & Record<'--list-width', string> = { '--list-width': `${width}px` };
  return (
    <div className={`card flex-1 ${classes.split}`} data-open={selected !== undefined || undefined} style={style}>
      <div ref={listElement} className={classes.list}>
        {list}
      </div>
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- a
          separator that can be moved is a control */}
      <hr
        aria-orientation="vertical"
        aria-label={text.width}
        aria-valuenow={width}
        aria-valuemin={LIST_WIDTHS.least}
        aria-valuemax={LIST_WIDTHS.most}
        tabIndex={0}
        className={classes.divider}
        onPointerDown={onPointerDown}
        onKeyDown={onKeyDown}
      />
      {/* oxlint-enable */}
      <div className={classes.detail}>
        {selected !== undefined && (
          <div ref={backElement} className={classes.back}>
            <Button icon={ArrowLeft} variant="quiet" onClick={() => onSelect(undefined)}>
              {text.back}
            </Button>
          </div>
        )}
        {detail}
      </div>
    </div>
  );
}

/** The narrowest and the widest list, in pixels. */
const LIST_WIDTHS = { least: 220, most: 640 };

const PREFIX = 'everturn.width.';
const FIRST_WIDTH = 340;
const STEP = 16;

/** Returns the width of a list in pixels, kept for this browser, and what changes it by pointer and by keys. */
function useListWidth(name: string) {
  const [width, setWidth] = useState(() => bounded(Number(browserStorage.read(PREFIX + name) ?? FIRST_WIDTH)));
  const change = (wanted: number) => {
    const next = bounded(wanted);
    setWidth(next);
    browserStorage.write(PREFIX + name, String(next));
  };
  const onPointerDown = ({ currentTarget, pointerId, clientX: from }: PointerEvent<HTMLElement>) => {
    currentTarget.setPointerCapture(pointerId);
    const isRightToLeft = getComputedStyle(currentTarget).direction === 'rtl';
    const move = ({ clientX }: globalThis.PointerEvent) =>
      change(width + (isRightToLeft ? from - clientX : clientX - from));
    const end = () => {
      currentTarget.removeEventListener('pointermove', move);
      currentTarget.removeEventListener('lostpointercapture', end);
    };
    currentTarget.addEventListener('pointermove', move);
    currentTarget.addEventListener('lostpointercapture', end);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: width - STEP, ArrowRight: width + STEP, Home: LIST_WIDTHS.least, End: LIST_WIDTHS.most };
    const wanted = next[event.key as keyof typeof next] as number | undefined;
    if (wanted === undefined) return;
    event.preventDefault();
    change(wanted);
  };
  return { width, onPointerDown, onKeyDown };
}

function bounded(width: number): number {
  if (!Number.isFinite(width)) return FIRST_WIDTH;
  return Math.round(Math.min(LIST_WIDTHS.most, Math.max(LIST_WIDTHS.least, width)));
}

/** Takes the focus along on a narrow screen, where what had it is hidden: to the way back, and back to the row. */
function useFocusWhereShown(
  selected: string | undefined,
  list: RefObject<HTMLElement | null>,
  back: RefObject<HTMLElement | null>,
): void {
  const isNarrow = useMedia(NARROW);
  const last = useRef({ selected, row: null as HTMLElement | null });
  useEffect(() => {
    const { selected: before, row } = last.current;
    const open = list.current?.querySelector<HTMLElement>('[aria-current=true]') ?? null;
    last.current = { selected, row: open ?? row };
    // What the page begins with takes no focus, nor does the next row.
    if (!isNarrow || (before === undefined) === (selected === undefined)) return;
    if (selected === undefined) row?.focus();
    else back.current?.querySelector('button')?.focus();
  }, [selected, isNarrow, list, back]);
}

interface RowListProps<T> {
  /** What is listed, for those who do not see it. */
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
  /** Shows a row: texts and badges, nothing that can be clicked by itself. */
  readonly children: (row: T) => ReactNode;
}

/** The rows of a split view, of which one is open. */
export function RowList<T>({ label, rows, keyOf, selected, onSelect, children }: RowListProps<T>): ReactNode {
  return (
    <ul aria-label={label}>
      {rows.map((row) => {
        const key = keyOf(row);
        return (
          <li key={key}>
            <button
              type="button"
              className={classes.row}
              aria-current={key === selected || undefined}
              onClick={() => onSelect(key)}
            >
              {children(row)}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
