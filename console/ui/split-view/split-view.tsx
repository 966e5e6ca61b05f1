import { ArrowLeft } from 'lucide-react';
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { NARROW, useMedia } from '../../core/browser/use-media.ts';
import { useShortcut } from '../../core/shortcuts.ts';
import { Button } from '../controls/button.tsx';
import classes from './split-view.module.css';
import { useSplitText } from './text.ts';
import { LIST_WIDTHS, useListWidth } from './use-list-width.ts';

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
    <div className={classes.split} data-open={selected !== undefined || undefined} style={style}>
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
            <Button look="quiet" onClick={() => onSelect(undefined)}>
              <ArrowLeft aria-hidden />
              {text.back}
            </Button>
          </div>
        )}
        {detail}
      </div>
    </div>
  );
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
