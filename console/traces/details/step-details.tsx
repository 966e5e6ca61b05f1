import { type ReactNode, useState } from 'react';
import { Link } from '@tanstack/react-router';
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
import { useOrgId } from '../../core/session/session-context.tsx';
import { buttonClass } from '../../ui/controls/button.tsx';
import { CallDetails } from './call-details.tsx';
import classes from './details.module.css';
import { factsOf } from './step-facts.ts';

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

/** Leads to what stands behind a step: the chat of a sub-agent, the decision that is waited for. */
function StepLinks({ step }: { readonly step: TraceStep }): ReactNode {
  const text = useTracesText();
  const orgId = useOrgId();
  if (step.kind === 'approval') {
    const search =
      step.status === 'pending' ? { id: step.approval_id } : { view: 'decided' as const, id: step.approval_id };
    return (
      <p className={classes.links}>
        <Link to="/o/$orgId/inbox" params={{ orgId }} search={search} className={buttonClass()}>
          {text.openInbox}
        </Link>
      </p>
    );
  }
  if (step.kind !== 'call' || step.sub_agent === null) return null;
  const { chat_id: chatId, turn_id: turnId } = step.sub_agent;
  return (
    <p className={classes.links}>
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} className={buttonClass()}>
        {text.openChat}
      </Link>
      <Link to="/o/$orgId/chats/$chatId/turns/$turnId" params={{ orgId, chatId, turnId }} className={buttonClass()}>
        {text.openTrace}
      </Link>
    </p>
  );
}
