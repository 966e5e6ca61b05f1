import { TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { ChoiceField } from '../../ui/controls/choice.tsx';
import { SuggestField } from '../../ui/fields/suggest-field.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chains.module.css';
import { useChainsText } from '../text.ts';
import type { KnownProviders } from '../use-accounts.ts';
import type { EditedStep } from './chain-values.ts';

interface StepFieldsProps {
  readonly step: EditedStep;
  /** Its number, from 1. */
  readonly place: number;
  readonly known: KnownProviders;
  readonly onChange: (step: EditedStep) => void;
  /** Takes it away; undefined for the only one. */
  readonly onRemove: (() => void) | undefined;
}

/** A step of a chain: a provider and a model. One that no account stands behind warns, and can be stored. */
export function StepFields({ step, place, known, onChange, onRemove }: StepFieldsProps): ReactNode {
  const text = useChainsText();
  const entry = known.entries.find(({ key }) => key === step.provider_type);
  return (
    <div className={classes.step}>
      <ChoiceField
        label={text.provider(place)}
        name={`steps.${place - 1}.provider_type`}
        placeholder={text.providerHint}
        choices={known.entries.map(({ key, name }) => ({ value: key, label: name }))}
        value={step.provider_type === '' ? null : step.provider_type}
        onValueChange={(type) => onChange({ ...step, provider_type: type ?? '' })}
      />
      <SuggestField
        label={text.model(place)}
        name={`steps.${place - 1}.model_name`}
        placeholder={text.accountsModel}
        suggestions={entry?.models ?? []}
        value={step.model_name}
        onValueChange={(model) => onChange({ ...step, model_name: model })}
      />
      {onRemove !== undefined && (
        <Button look="quiet" aria-label={text.removeStep(place)} onClick={onRemove}>
          <X aria-hidden />
        </Button>
      )}
      {step.provider_type !== '' && <AccountsNote type={step.provider_type} known={known} />}
    </div>
  );
}

function AccountsNote({ type, known: { accounts } }: { readonly type: string; readonly known: KnownProviders }) {
  const text = useChainsText();
  const own = accounts?.filter((account) => account.provider_type === type);
  if (own === undefined) return null;
  const warning =
    own.length === 0 ? text.noAccount : own.every(({ status }) => status !== 'active') ? text.noActive : undefined;
  if (warning === undefined)
    return <p className={classes.note}>{text.accounts(own.map(({ name }) => showInvisible(name)).join(', '))}</p>;
  return (
    <p className={classes.note} data-warns>
      <TriangleAlert aria-hidden />
      {warning}
    </p>
  );
}
