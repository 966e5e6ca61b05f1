import { X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { formatDollars } from '../../core/text/numbers.ts';
import { Button } from '../../ui/controls/button.tsx';
import type { Span } from '../../ui/timeline/time-axis.ts';
import { shortDuration } from '../rows/step-words.ts';
import type { TraceStep } from '../rows/trace-step.ts';
import { useTracesText } from '../text.ts';
import { sumOfRange } from './range-sum.ts';
import classes from './trace-list.module.css';

interface RangeBarProps {
  readonly steps: readonly TraceStep[];
  readonly range: Span | undefined;
  readonly readAt: number;
  readonly onClear: () => void;
}

/** What the selected range comes to, said as it changes; without one, what the keys do. */
export function RangeBar({ steps, range, readAt, onClear }: RangeBarProps): ReactNode {
  const text = useTracesText();
  const sum = useMemo(() => range && sumOfRange(steps, range, readAt), [steps, range, readAt]);
  return (
    <>
      {sum === undefined && <p className={classes.help}>{text.help}</p>}
      <output className={sum === undefined ? classes.noRange : classes.rangeSum}>
        {sum !== undefined &&
          [
            text.range.of(shortDuration(sum.lengthMs)),
            text.range.working(shortDuration(sum.workingMs)),
            text.range.calls(sum.modelCalls),
            text.tokens(sum.tokens, sum.isEstimate),
            ...(sum.cost === null || sum.modelCalls === 0 ? [] : [formatDollars(sum.cost)]),
          ].join(' · ')}
      </output>
      {sum !== undefined && (
        <Button look="quiet" aria-label={text.range.clear} onClick={onClear}>
          <X aria-hidden />
        </Button>
      )}
    </>
  );
}
