import type { ReactNode } from 'react';
import { useCan } from '../../core/permissions.ts';
import { useChains } from '../../provider-chains/index.ts';
import { Field } from '../../ui/controls/field.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { useAgentsText } from '../text.ts';
import type { AgentValues } from '../agent-values.ts';
import classes from './editor.module.css';
import { whole } from './whole.ts';

const DEFAULT_CHAIN = '';

/** Which model answers, and how. */
export function ModelFields({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  const { data = [], isLoading } = useChains(useCan('providers.view'));
  const [chain, model] = [field('provider_chain_id'), field('model_pref')];
  const [temperature, maxTokens] = [field('temperature'), field('max_tokens')];
  const isUnknown = chain.value !== null && !data.some(({ id }) => id === chain.value);
  const options = [
    { value: DEFAULT_CHAIN, label: text.noChain },
    ...(isUnknown ? [{ value: chain.value ?? '', label: isLoading ? '…' : (chain.value ?? '') }] : []),
    ...data.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <div className={classes.fields}>
      <SelectField
        label={text.chain}
        options={options}
        name={chain.name}
        value={chain.value ?? DEFAULT_CHAIN}
        onValueChange={(id) => chain.onValueChange(id === DEFAULT_CHAIN ? null : id)}
      />
      <Field
        label={text.modelPref}
        hint={text.modelPrefHint}
        name={model.name}
        value={model.value ?? ''}
        onValueChange={(name) => model.onValueChange(name === '' ? null : name)}
      />
      <div className={classes.row}>
        <NumberField
          label={text.temperature}
          hint={text.temperatureHint}
          min={0}
          max={2}
          step={0.1}
          name={temperature.name}
          value={temperature.value}
          onValueChange={(value) => value !== null && temperature.onValueChange(value)}
        />
        <NumberField label={text.maxTokens} unit={text.tokens} min={1} max={1_000_000} {...whole(maxTokens)} />
      </div>
    </div>
  );
}
