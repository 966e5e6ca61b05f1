import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { NARROW, useMedia } from '../core/browser/use-media.ts';
import { useShortcut } from '../core/shortcuts.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { StepDetails } from './details/step-details.tsx';
import { TurnDetails } from './details/turn-details.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { TurnPlace } from './queries.ts';
import { nameOf } from './rows/step-words.ts';
import { nextOfState, rowsOf } from './rows/trace-rows.ts';
import type { Trace } from './rows/trace-step.ts';
import { useTracesText } from './text.ts';
import { TraceHead } from './trace-head.tsx';
import { TraceList } from './list/trace-list.tsx';
import classes from './trace-view.module.css';

interface TraceViewProps {
  readonly trace: Trace;
  readonly place: TurnPlace;
  /** When it was read, in milliseconds since 1970: what has not ended lasts until then. */
  readonly readAt: number;
  /** The id of the step that is open. */
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

/** A trace: what it came to, its steps, and what is known of the one that is open. */
export function TraceView({ trace, place, readAt, selected, onSelect }: TraceViewProps): ReactNode {
  const text = useTracesText();
  const isNarrow = useMedia(NARROW);
  const toast = useToast();
  const { steps } = trace;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(steps, { toggled, revealed: selected }), [steps, toggled, selected]);
  const toggle = useCallback((id: string) => setToggled((known) => toggledOnce(known, id)), []);
  const jump = (state: 'error' | 'unknown') => {
    const found = nextOfState(steps, selected, state);
    if (found === undefined) toast(text.none[state]);
    else onSelect(found.id);
  };
  useShortcut('e', text.keys.error, () => jump('error'));
  useShortcut('u', text.keys.unknown, () => jump('unknown'));
  const step = steps.find(({ id }) => id === selected);
  const details = step && (
    <StepDetails key={step.id} step={step} steps={steps} place={place} readAt={readAt} isTitled={!isNarrow} />
  );
  return (
    <div className={classes.view}>
      <TraceHead trace={trace} readAt={readAt} />
      {trace.is_cut && <p className={classes.cut}>{text.cut}</p>}
      <div className={classes.split}>
        <TraceList
          trace={trace}
          rows={rows}
          readAt={readAt}
          selected={selected}
          onSelect={onSelect}
          onToggle={toggle}
          onJump={jump}
        />
        {!isNarrow && (
          <section aria-label={text.details} className={classes.details}>
            {details ?? <TurnDetails trace={trace} />}
          </section>
        )}
      </div>
      {isNarrow && step !== undefined && (
        <Dialog open title={showInvisible(nameOf(step, text))} onClose={() => onSelect(undefined)}>
          {details}
        </Dialog>
      )}
    </div>
  );
}

function toggledOnce(known: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return known.has(id) ? new Set([...known].filter((each) => each !== id)) : new Set([...known, id]);
}
