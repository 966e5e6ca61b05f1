import type { ReactNode } from 'react';
import { partsOfLine } from '../core/text/formats.ts';
import { useChains } from '../provider-chains/queries.ts';
import { useCatalog, useProviders } from '../providers/queries.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { NumberField, SelectField, SuggestField } from '../ui/fields/fields.tsx';
import type { EditedRecord, JsonForm } from '../ui/form/use-record.ts';
import { showInvisible } from '../ui/visible.ts';
import type { ModelProfile, NewProfile, ProfileChanges } from './queries.ts';
import { useProfilesText } from './text.ts';

interface ProfileFieldsProps {
  readonly record: EditedRecord<ProfileValues>;
}

/** What the form of a profile changes; an empty text stands for null. */
interface ProfileValues {
  readonly name: string;
  readonly description: string;
  /** Who answers. */
  readonly by: 'model' | 'chain';
  readonly provider_type: string;
  readonly model_name: string;
  readonly provider_chain_id: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly priority: number;
}

/** What a new profile begins with. */
export const NEW_PROFILE: ProfileValues = {
  name: '',
  description: '',
  by: 'model',
  provider_type: '',
  model_name: '',
  provider_chain_id: '',
  tags: '',
  priority: 0,
};

/** Returns what the form changes of a stored profile. */
export function valuesOf(profile: ModelProfile): ProfileValues {
  return {
    name: profile.name,
    description: profile.description,
    by: profile.provider_chain_id === null ? 'model' : 'chain',
    provider_type: profile.provider_type ?? '',
    model_name: profile.model_name ?? '',
    provider_chain_id: profile.provider_chain_id ?? '',
    tags: profile.tags.join(', '),
    priority: profile.priority,
  };
}

/** Returns a new profile as the api takes it. */
export function bodyOf(values: ProfileValues): NewProfile {
  const { name, description, tags, priority } = values;
  return { name, description, priority, tags: partsOfLine(tags), ...choiceOf(values) };
}

/** How a profile is written as JSON. */
export const PROFILE_JSON: JsonForm<ProfileValues> = { write: bodyOf, read: (body: ModelProfile) => valuesOf(body) };

/** Returns what is sent of changed values. Who answers is sent as a whole: a model and a chain exclude each other. */
export function changesOf(changes: Partial<ProfileValues>, values: ProfileValues): ProfileChanges {
  const { by, provider_type, model_name, provider_chain_id, tags, ...rest } = changes;
  const isChosenAnew = [by, provider_type, model_name, provider_chain_id].some((value) => value !== undefined);
  return { ...rest, ...(tags !== undefined && { tags: partsOfLine(tags) }), ...(isChosenAnew && choiceOf(values)) };
}

function choiceOf({ by, provider_type: type, model_name: model, provider_chain_id: chain }: ProfileValues) {
  const none = { provider_type: null, model_name: null, provider_chain_id: null };
  if (by === 'chain') return { ...none, provider_chain_id: orNull(chain) };
  return { ...none, provider_type: orNull(type), model_name: orNull(model) };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

/** What a profile is made of. */
export function ProfileFields({ record }: ProfileFieldsProps): ReactNode {
  const text = useProfilesText();
  const { values, field } = record;
  const priority = field('priority');
  return (
    <div className="stack">
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
        hint={hasNone ? <span className="warn small">{text.noAccount}</span> : undefined}
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
