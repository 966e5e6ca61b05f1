import { type ReactNode, useMemo, useState } from 'react';
import { Loaded } from '../../ui/page/loaded.tsx';
import { MultiChoiceField } from '../../ui/fields/multi-choice-field.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { useAgentsText } from '../text.ts';
import type { AgentValues } from '../agent-values.ts';
import { type Tool, useSkills, useTools } from '../editor/choices.ts';
import classes from '../editor/editor.module.css';
import { GivenTools } from './given-tools.tsx';
import { OfferedTools } from './offered-tools.tsx';

/** What an agent can do: its tools, when each asks first, and its skills. */
export function ToolFields({ record }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  const [tools, skills] = [useTools(), useSkills()];
  const { value, ...chosen } = record.field('skills');
  return (
    <div className={classes.fields}>
      <Loaded query={tools}>{(all) => <ToolPicker record={record} all={all} />}</Loaded>
      <MultiChoiceField
        label={text.skills}
        hint={text.skillsHint}
        choices={(skills.data ?? []).map(({ key, name, problem }) => ({
          value: key,
          label: name,
          reason: problem ?? undefined,
        }))}
        value={value}
        name={chosen.name}
        onValueChange={(keys) => chosen.onValueChange([...keys])}
      />
    </div>
  );
}

interface ToolPickerProps {
  readonly record: EditedRecord<AgentValues>;
  readonly all: readonly Tool[];
}

function ToolPicker({ record, all }: ToolPickerProps): ReactNode {
  const [filter, setFilter] = useState('');
  const { value: keys, onValueChange } = record.field('tools');
  const approvals = record.field('requires_approval');
  const offered = useMemo(() => all.filter(({ key }) => !keys.includes(key)), [all, keys]);
  const take = (key: string) => {
    onValueChange(keys.filter((each) => each !== key));
    const { [key]: _gone, ...rest } = approvals.value;
    approvals.onValueChange(rest);
  };
  return (
    <div className={classes.panes}>
      <OfferedTools
        tools={offered}
        filter={filter}
        onFilter={setFilter}
        onGive={(key) => onValueChange([...keys, key])}
      />
      <GivenTools
        keys={keys}
        all={all}
        approvals={approvals.value}
        onTake={take}
        onApproval={(key, mode) => {
          const { [key]: _before, ...rest } = approvals.value;
          approvals.onValueChange(mode === undefined ? rest : { ...rest, [key]: mode });
        }}
      />
    </div>
  );
}
