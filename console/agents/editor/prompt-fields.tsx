import type { ReactNode } from 'react';
import { isObject } from '../../../domain/core/objects/is-object.ts';
import { Field } from '../../ui/controls/field.tsx';
import { EditorField } from '../../ui/editor/editor.tsx';
import { JsonField } from '../../ui/editor/json-field.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { SwitchField } from '../../ui/fields/toggle-fields.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { useAgentsText } from '../text.ts';
import type { AgentValues } from '../agent-values.ts';
import { usePersonas } from './choices.ts';
import classes from './editor.module.css';

const NO_PERSONA = '';
const TYPES = ['assistant', 'architect', 'coordinator', 'devops', 'project_manager', 'custom'] as const;

/** What an agent is called, and what it is told. */
export function PromptFields({ record }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const words = useAgentsText();
  const text = words.editor;
  const { field, values } = record;
  const persona = field('persona_id');
  return (
    <div className={classes.fields}>
      <Field label={words.name} required maxLength={200} {...field('name')} />
      <TextAreaField label={text.description} hint={text.descriptionHint} {...field('description')} />
      <div className={classes.row}>
        <SelectField
          label={text.type}
          options={TYPES.map((type) => ({ value: type, label: text.types[type] }))}
          {...field('agent_type')}
        />
        <SelectField
          label={text.persona}
          hint={text.personaHint}
          options={usePersonaOptions(values.persona_id)}
          name={persona.name}
          placeholder={text.noPersona}
          value={persona.value ?? NO_PERSONA}
          onValueChange={(id) => persona.onValueChange(id === NO_PERSONA ? null : id)}
        />
      </div>
      <EditorField label={text.systemPrompt} language="markdown" size="large" {...field('system_prompt')} />
      <JsonField
        label={text.soul}
        hint={text.soulHint}
        faultOf={(value) => (isObject(value) ? undefined : text.notAnObject)}
        {...field('soul')}
      />
      <SwitchField label={text.isActive} hint={text.isActiveHint} {...field('is_active')} />
    </div>
  );
}

function usePersonaOptions(chosen: string | null) {
  const text = useAgentsText();
  const { data = [], isLoading } = usePersonas();
  const known = data.map(({ id, name }) => ({ value: id, label: name }));
  const isUnknown = chosen !== null && !data.some(({ id }) => id === chosen);
  const none = { value: NO_PERSONA, label: text.editor.noPersona };
  return [none, ...(isUnknown ? [{ value: chosen, label: isLoading ? '…' : chosen }] : []), ...known];
}
