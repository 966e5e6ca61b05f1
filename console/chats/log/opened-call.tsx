import type { ReactNode } from 'react';
import { CallContent, type CallData, type TurnRef, useTracedCall, useTracesText } from '../../traces/index.ts';
import { Loaded } from '../../ui/page/page.tsx';
import type { CallStep } from '../connection/step-tree.ts';
import classes from './log.module.css';

interface OpenedCallProps {
  readonly call: CallStep;
  /** The turn that the call belongs to. */
  readonly turn: TurnRef;
  /** What is stored of it with the answer, which is shown until all of it is read; undefined for nothing. */
  readonly record: CallData | undefined;
}

/** Shows what a tool call was given, what it gave back, and how often it was tried, also while it runs. */
export function OpenedCall({ call, turn, record }: OpenedCallProps): ReactNode {
  const text = useTracesText();
  const traced = useTracedCall(turn, call);
  return (
    <div className={classes.record}>
      {traced.data === undefined && record !== undefined ? (
        <CallContent call={record} />
      ) : (
        <Loaded query={traced}>
          {(data) => (
            <>
              <p className="soft">
                {[
                  text.effect[data.effect],
                  ...(data.tries > 1 ? [`${text.facts.tries} ${text.times(data.tries)}`] : []),
                ].join(' · ')}
              </p>
              <CallContent call={data} />
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}
