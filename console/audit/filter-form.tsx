import { useState } from 'react';
import { type Member, nameOf } from '../members/index.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SuggestField } from '../ui/fields/suggest-field.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type FilterName, OUTCOMES } from './filters.ts';
import { actionOf, RECORD_TYPES, wordsOfAction } from './record-types.ts';
import { useAuditText } from './text.ts';

interface FilterFormProps {
  readonly name: FilterName;
  readonly value: string | undefined;
  readonly members: readonly Member[];
  /** Actions to suggest. */
  readonly actions: readonly string[];
  readonly onSet: (value: string | undefined) => void;
}

/** Sets one filter: by a choice where the values are known, else by what is typed. */
export function FilterForm(props: FilterFormProps) {
  const text = useAuditText();
  const { name, onSet } = props;
  const [isTime, isAction] = [name === 'from' || name === 'to', name === 'action'];
  const given = isAction && props.value !== undefined ? wordsOfAction(props.value, text) : props.value;
  const [value, setValue] = useState<string | null>(given ?? null);
  const send = () => {
    if (value === null || value === '') return onSet(undefined);
    if (isAction) return onSet(actionOf(value, text));
    onSet(isTime ? new Date(value).toISOString() : value.trim());
  };
  return (
    <Form submitLabel={text.apply} onSubmit={async () => Promise.resolve(send())}>
      {isTime ? (
        <Field
          label={text.filters[name]}
          name={name}
          type="datetime-local"
          hint={text.timeHint}
          value={localTime(value)}
          onValueChange={setValue}
        />
      ) : (
        <Value {...props} value={value} onValueChange={setValue} />
      )}
    </Form>
  );
}

interface ValueProps extends Omit<FilterFormProps, 'value' | 'onSet'> {
  readonly value: string | null;
  readonly onValueChange: (value: string | null) => void;
}

function Value({ name, value, members, actions, onValueChange }: ValueProps) {
  const text = useAuditText();
  const field = { label: text.filters[name], name };
  if (name === 'record_id')
    return <Field {...field} hint={text.recordHint} value={value ?? ''} onValueChange={onValueChange} />;
  if (name === 'action')
    return (
      <SuggestField
        {...field}
        hint={text.actionHint}
        suggestions={actions.map((action) => wordsOfAction(action, text))}
        value={value ?? ''}
        onValueChange={onValueChange}
      />
    );
  const choices = {
    actor_id: members.map((member) => ({
      value: member.user_id,
      label: showInvisible(member.full_name === '' ? nameOf(member) : `${member.full_name} (${member.email})`),
    })),
    outcome: OUTCOMES.map((outcome) => ({ value: outcome, label: text.outcomes[outcome] })),
    record_type: RECORD_TYPES,
    from: [],
    to: [],
  }[name];
  return <ChoiceField {...field} choices={choices} value={value} onValueChange={onValueChange} />;
}

/** Returns a time as fields of the browser take it, in the zone of the browser; '' for none. */
function localTime(value: string | null): string {
  if (value === null || value === '' || !value.endsWith('Z')) return value ?? '';
  const time = new Date(value);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
