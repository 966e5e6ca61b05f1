import { type ReactNode, useState } from 'react';
import { CodeBlock } from '../../ui/code/code-block.tsx';
import { Badge } from '../../ui/page/badge.tsx';
import { Facts } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { TurnPlace } from '../queries.ts';
import { stateOf, type StepState } from '../rows/step-state.ts';
import { nameOf } from '../rows/step-words.ts';
import { placeOf } from '../rows/trace-rows.ts';
import type { TraceStep } from '../rows/trace-step.ts';
import { useTracesText } from '../text.ts';
import { CallDetails } from './call-details.tsx';
import classes from './details.module.css';
import { factsOf } from './step-facts.ts';
import { StepLinks } from './step-links.tsx';

interface StepDetailsProps {
  readonly step: TraceStep;
  readonly steps: readonly TraceStep[];
  /** The turn that is shown. */
  readonly place: TurnPlace;
  readonly readAt: number;
  /** Whether it says by itself which step it is about. */
  readonly isTitled: boolean;
}

const TONES: Readonly<Record<StepState, 'calm' | 'good' | 'warn' | 'danger'>> = {
  running: 'good',
  waiting: 'calm',
  good: 'good',
  error: 'danger',
  unknown: 'warn',
  stopped: 'warn',
  calm: 'calm',
};

/** What is known of a step: facts, what a call was given and gave back, and last the record as it came. */
export function StepDetails({ step, steps, place, readAt, isTitled }: StepDetailsProps): ReactNode {
  const text = useTracesText();
  const state = stateOf(step);
  return (
    <div className={classes.details}>
      {isTitled && <h2>{showInvisible(nameOf(step, text))}</h2>}
      <p>
        <Badge tone={TONES[state]}>{text.state[state]}</Badge>
      </p>
      {state === 'unknown' && <p className={classes.warn}>{text.unknownWhy}</p>}
      <Facts facts={factsOf(step, readAt, text)} />
      <StepLinks step={step} />
      {step.kind === 'call' && <CallDetails call={step} place={placeOf(steps, step, place)} />}
      <Raw step={step} />
    </div>
  );
}

function Raw({ step }: { readonly step: TraceStep }): ReactNode {
  const text = useTracesText();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.raw} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{text.raw}</summary>
      {isOpen && <CodeBlock language="json" code={JSON.stringify(step, null, 2)} />}
    </details>
  );
}
