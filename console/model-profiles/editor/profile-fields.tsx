import type { ReactNode } from 'react';
import { useChains } from '../../provider-chains/index.ts';
import { useCatalog, useProviders } from '../../providers/index.ts';
import { ChoiceField } from '../../ui/controls/choice.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { SuggestField } from '../../ui/fields/suggest-field.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../profiles.module.css';
import { useProfilesText } from '../text.ts';
import type { ProfileValues } from './profile-values.ts';

interface ProfileFieldsProps {
  readonly record: EditedRecord<ProfileValues>;
}

/** What a profile is made of. */
export function ProfileFields({ record }: ProfileFieldsProps): ReactNode {
  const text = useProfilesText();
  const { values, field } = record;
  const priority = field('priority');
  return (
    <div className={classes.fields}>
      <Field
        label={text.name}
        required
        maxLength={100}
        hint={values.name === '' ? undefined : text.nameHint(showInvisible(values.name))}
        {...field('name')}
      />
      <TextAreaField label={text.description} maxLength={5_000} {...field('description')} />
      <SelectField
        label={text.by}
        options={[
          { value: 'model', label: text.byModel },
          { value: 'chain', label: text.byChain },
        ]}
        {...field('by')}
      />
      {values.by === 'model' ? <ModelFields record={record} /> : <ChainField record={record} />}
      <Field label={text.tags} hint={text.tagsHint} {...field('tags')} />
      <NumberField
        label={text.priority}
        hint={text.priorityHint}
        min={-1_000}
        max={1_000}
        step={1}
        name={priority.name}
        value={priority.value}
        onValueChange={(value) => value !== null && priority.onValueChange(Math.round(value))}
      />
    </div>
  );
}

function ModelFields({ record: { field } }: ProfileFieldsProps): ReactNode {
  const text = useProfilesText();
  const [{ data: entries = [] }, { data: accounts }] = [useCatalog(), useProviders()];
  const type = field('provider_type');
  const entry = entries.find(({ key }) => key === type.value);
  const hasNone =
    type.value !== '' && accounts?.some(({ provider_type: provider }) => provider === type.value) === false;
  return (
    <>
      <ChoiceField
        label={text.provider}
        name={type.name}
        placeholder={text.providerHint}
        hint={hasNone ? <span className={classes.warn}>{text.noAccount}</span> : undefined}
        choices={entries.map(({ key, name }) => ({ value: key, label: name }))}
        value={type.value === '' ? null : type.value}
        onValueChange={(value) => type.onValueChange(value ?? '')}
      />
      <SuggestField
        label={text.model}
        placeholder={text.accountsModel}
        suggestions={entry?.models ?? []}
        {...field('model_name')}
      />
    </>
  );
}

function ChainField({ record: { field } }: ProfileFieldsProps): ReactNode {
  const text = useProfilesText();
  const { data: chains = [] } = useChains();
  const chain = field('provider_chain_id');
  return (
    <ChoiceField
      label={text.chain}
      name={chain.name}
      placeholder={text.chainHint}
      choices={chains.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
      value={chain.value === '' ? null : chain.value}
      onValueChange={(value) => chain.onValueChange(value ?? '')}
    />
  );
}
