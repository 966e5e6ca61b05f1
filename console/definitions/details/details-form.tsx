import { type ReactNode, useMemo } from 'react';
import { Field } from '../../ui/controls/field.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { CATEGORIES } from '../categories.ts';
import classes from '../definitions.module.css';
import type { Family } from '../families.ts';
import { type Definition, useChangeRefusal, useDefinitionActions } from '../queries.ts';
import { useDefinitionsText } from '../text.ts';

interface DetailsFormProps {
  readonly family: Family;
  readonly definition: Definition;
}

/** Changes the record of a skill or tool; what its main file says of it is changed with it. */
export function DetailsForm({ family, definition }: DetailsFormProps): ReactNode {
  const text = useDefinitionsText();
  const [refusal, actions, toast] = [useChangeRefusal(family, definition), useDefinitionActions(family), useToast()];
  const stored = useMemo(() => {
    const { key, name, description, category = '', version } = definition;
    return { key, name, description, category, version };
  }, [definition]);
  return (
    <RecordForm
      draftKey={`definition.${definition.id}`}
      stored={stored}
      reason={refusal}
      onReload={() => void actions.read()}
      onSubmit={async ({ changes, overwrite }) => {
        await actions.change(definition.id, changes, overwrite ? undefined : definition.updated_at);
        toast(text.saved);
      }}
    >
      {({ field }) => (
        <div className={classes.fields}>
          <p className={classes.lead}>{text.detailsLead(family.mainFile ?? '')}</p>
          <div className={classes.row}>
            <Field label={text.name} required maxLength={200} {...field('name')} />
            <Field label={text.key} hint={text.keyHint} required maxLength={64} {...field('key')} />
          </div>
          <TextAreaField
            label={text.description}
            hint={text.descriptionHint}
            maxLength={5_000}
            {...field('description')}
          />
          <div className={classes.row}>
            <SelectField
              label={text.category}
              options={CATEGORIES[family.key].map((each) => ({ value: each, label: each }))}
              {...field('category')}
            />
            <Field label={text.version} required maxLength={50} {...field('version')} />
          </div>
        </div>
      )}
    </RecordForm>
  );
}
