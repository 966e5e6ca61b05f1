import type { ReactNode } from 'react';
import { NumberField } from '../../ui/fields/number-field.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { useAgentsText } from '../text.ts';
import type { AgentValues } from '../agent-values.ts';
import classes from './editor.module.css';
import { whole } from './whole.ts';

/** How much an agent may hand to others. */
export function LimitFields({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  return (
    <div className={classes.fields}>
      <div className={classes.row}>
        <NumberField
          label={text.maxSubagents}
          hint={text.maxSubagentsHint}
          unit={text.subagents}
          min={0}
          max={100}
          {...whole(field('max_subagents'))}
        />
        <NumberField
          label={text.maxConcurrency}
          unit={text.subagents}
          min={1}
          max={100}
          {...whole(field('max_concurrency'))}
        />
      </div>
    </div>
  );
}
