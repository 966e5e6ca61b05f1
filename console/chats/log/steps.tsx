import { formatDuration } from '../../core/text/numbers.ts';
import { Check, CircleAlert, CircleDashed, CircleSlash, Hourglass, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { CallDecision } from '../../approvals/index.ts';
import { showInvisible } from '../../ui/visible.ts';
import type { CallStep, Step } from '../connection/index.ts';
import { AgentCard } from './agent-card.tsx';
import { Elapsed } from './elapsed.tsx';
import classes from './steps.module.css';
import type { CallRecord } from './stored-steps.ts';
import { useChatsText } from '../text.ts';

interface StepsProps {
  readonly steps: readonly Step[];
  readonly records?: ReadonlyMap<string, CallRecord>;
}

/** More ended steps than these in a row are folded to one line. */
const MAX_UNFOLDED = 3;
const NO_RECORDS: ReadonlyMap<string, CallRecord> = new Map();

/** Shows what an agent has done and does: one line a step, sub-agents as cards. Long runs of ended steps are folded. */
export function Steps({ steps, records = NO_RECORDS }: StepsProps): ReactNode {
  const text = useChatsText().steps;
  if (steps.length === 0) return null;
  return (
    <ol className={classes.steps} aria-label={text.label}>
      {foldsOf(steps).map((run) =>
        run.length > MAX_UNFOLDED ? (
          <Folded key={run[0]?.id} steps={run} records={records} />
        ) : (
          run.map((step) => <StepLine key={step.id} step={step} records={records} />)
        ),
      )}
    </ol>
  );
}

// Ended calls that stand together; whatever needs a look of its own stands alone.
function foldsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const runs: Step[][] = [];
  let isRun = false;
  for (const step of steps) {
    const isQuiet = step.kind === 'call' && step.status === 'success';
    if (isQuiet && isRun) runs.at(-1)?.push(step);
    else runs.push([step]);
    isRun = isQuiet;
  }
  return runs;
}

function Folded({ steps, records }: Required<StepsProps>): ReactNode {
  const text = useChatsText();
  const [first, last] = [steps[0]?.startedAt, steps.at(-1)?.endedAt];
  const time = first === undefined || last === undefined ? '' : formatDuration((last - first) / 1_000);
  return (
    <li>
      <details>
        <summary className={classes.line}>
          <Check aria-hidden className={classes.good} />
          {text.steps.folded(steps.length, time)}
        </summary>
        <ol className={classes.steps}>
          {steps.map((step) => (
            <StepLine key={step.id} step={step} records={records} />
          ))}
        </ol>
      </details>
    </li>
  );
}

function StepLine({ step, records }: { readonly step: Step } & Required<Pick<StepsProps, 'records'>>): ReactNode {
  if (step.kind === 'agent') {
    return (
      <li>
        <AgentCard agent={step}>
          <Steps steps={step.steps} />
        </AgentCard>
      </li>
    );
  }
  return <CallLine call={step} record={records.get(step.id)} />;
}

function CallLine({ call, record }: { readonly call: CallStep; readonly record: CallRecord | undefined }): ReactNode {
  const text = useChatsText().steps;
  const isWaiting = call.approval?.status === 'pending';
  const line = (
    <>
      <StateIcon call={call} />
      <span className={classes.name} data-waits={isWaiting || undefined}>
        {showInvisible(call.label)}
      </span>
      <span className={classes.state} data-status={call.status}>
        {isWaiting ? text.waits : text.status[call.status]}
      </span>
      <Elapsed startedAt={call.startedAt} endedAt={call.endedAt} isRunning={call.status === 'running'} />
    </>
  );
  return (
    <li>
      {record === undefined ? (
        <div className={classes.line}>{line}</div>
      ) : (
        <details>
          <summary className={classes.line}>{line}</summary>
          <Record record={record} />
        </details>
      )}
      {call.approval?.status === 'pending' && <CallDecision key={call.approval.id} approvalId={call.approval.id} />}
    </li>
  );
}

function StateIcon({ call: { status, approval } }: { readonly call: CallStep }): ReactNode {
  if (approval?.status === 'pending') return <Hourglass aria-hidden className={classes.warn} />;
  if (status === 'running') return <CircleDashed aria-hidden className={classes.running} />;
  if (status === 'success') return <Check aria-hidden className={classes.good} />;
  if (status === 'unknown') return <TriangleAlert aria-hidden className={classes.warn} />;
  return status === 'error' ? <CircleAlert aria-hidden className={classes.bad} /> : <CircleSlash aria-hidden />;
}

function Record({ record }: { readonly record: CallRecord }): ReactNode {
  const text = useChatsText().steps;
  const parts = [
    [text.arguments, record.arguments],
    [text.result, record.result],
  ] as const;
  return (
    <dl className={classes.record}>
      {parts.map(([label, value]) =>
        value === '' ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{showInvisible(value)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
