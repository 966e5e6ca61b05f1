import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCan } from '../../core/permissions.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { FieldFrame } from '../../ui/controls/field-frame.tsx';
import { SwitchField } from '../../ui/fields/toggle-fields.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { SortableList } from '../../ui/sortable-list/sortable-list.tsx';
import { Section } from '../../ui/page/section.tsx';
import classes from '../chains.module.css';
import { useChainsText } from '../text.ts';
import { useKnownProviders } from '../use-accounts.ts';
import { AnswersNow } from './answers-now.tsx';
import { type ChainValues, MAX_STEPS, stepsOf, withStep } from './chain-values.ts';
import { StepFields } from './step-fields.tsx';

/** What a chain is made of: its name, its steps in order, and whether it is the default. */
export function ChainFields({ record }: { readonly record: EditedRecord<ChainValues> }): ReactNode {
  const text = useChainsText();
  const [isAdministrator, known] = [useCan('settings.manage'), useKnownProviders()];
  const { name, value: steps, onValueChange } = record.field('steps');
  const placeOf = (key: string) => steps.findIndex((step) => step.key === key) + 1;
  return (
    <div className={classes.fields}>
      <Field label={text.name} required maxLength={200} {...record.field('name')} />
      <FieldFrame label={text.steps} name={name} hint={text.stepsLead} isLabelled={false}>
        <SortableList
          label={text.steps}
          rows={steps}
          keyOf={({ key }) => key}
          nameOf={({ key, provider_type: type }) => text.step(placeOf(key), known.nameOf(type))}
          onOrderChange={onValueChange}
        >
          {(step, at) => (
            <StepFields
              step={step}
              place={at + 1}
              known={known}
              onChange={(changed) => onValueChange(steps.map((each) => (each.key === step.key ? changed : each)))}
              onRemove={steps.length > 1 ? () => onValueChange(steps.filter(({ key }) => key !== step.key)) : undefined}
            />
          )}
        </SortableList>
        <div className={classes.more}>
          <Button
            reason={steps.length < MAX_STEPS ? undefined : text.mostSteps}
            onClick={() => onValueChange(withStep(steps))}
          >
            <Plus aria-hidden />
            {text.addStep}
          </Button>
        </div>
      </FieldFrame>
      <SwitchField
        label={text.isDefault}
        hint={text.isDefaultHint}
        reason={isAdministrator ? undefined : text.onlyAdministrators}
        {...record.field('is_default')}
      />
      <Section title={text.now} lead={text.unsavedNow}>
        <AnswersNow steps={stepsOf(steps)} known={known} />
      </Section>
    </div>
  );
}
