import { Combobox } from '@base-ui/react/combobox';
import { Check, X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { type Choice, ChoiceSign, usableFirst, useLeftWords } from '../controls/choice.tsx';
import choiceClasses from '../controls/controls.module.css';
import { FieldFrame } from '../controls/field-frame.tsx';
import { useControlsText, useFieldsText } from '../text.ts';
import { showInvisible } from '../visible.ts';
import classes from './fields.module.css';

interface MultiChoiceFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly placeholder?: string;
  readonly choices: readonly Choice[];
  /** The values of what is chosen, in order; one without a choice is kept, and shown as gone. */
  readonly value: readonly string[];
  readonly onValueChange: (value: readonly string[]) => void;
}

/** How many lines the list shows at most: one types to see others. */
const MAX_SHOWN = 200;

/**
 * A field in which some of many are found by typing. What is chosen stands before it; Enter chooses the first
 * that matches, Backspace takes the last away.
 */
export function MultiChoiceField(props: MultiChoiceFieldProps): ReactNode {
  const { label, name, hint, placeholder, choices, value, onValueChange } = props;
  const [text, { notChosen }] = [useFieldsText(), useControlsText()];
  const [left, noticing, keepForm] = useLeftWords();
  const chips = useRef<HTMLDivElement>(null);
  const known = new Map(choices.map((choice) => [choice.value, choice]));
  const chosen = value.map((each) => known.get(each) ?? { value: each, label: each });
  return (
    <FieldFrame label={label} name={name} hint={left === '' ? hint : <output>{notChosen(left)}</output>}>
      <Combobox.Root
        {...noticing}
        multiple
        autoHighlight
        items={usableFirst(choices)}
        limit={MAX_SHOWN}
        value={chosen}
        isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
        onValueChange={(next: Choice[]) => onValueChange(next.map((each) => each.value))}
      >
        <Combobox.Chips ref={chips} className={classes.chips ?? ''}>
          {chosen.map((choice) => (
            <Chip key={choice.value} choice={choice} isGone={!known.has(choice.value)} />
          ))}
          <Combobox.Input
            className={classes.multiInput ?? ''}
            placeholder={value.length === 0 ? placeholder : undefined}
            onKeyDown={keepForm}
          />
          <ChoiceSign />
        </Combobox.Chips>
        <Combobox.Portal>
          <Combobox.Positioner anchor={chips} className={choiceClasses.positioner ?? ''} sideOffset={4} align="start">
            <Combobox.Popup className={choiceClasses.popup ?? ''}>
              <Combobox.Empty className={choiceClasses.empty ?? ''}>{text.nothingFound}</Combobox.Empty>
              <Combobox.List>{(choice: Choice) => <Line key={choice.value} choice={choice} />}</Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
    </FieldFrame>
  );
}

function Chip({ choice, isGone }: { readonly choice: Choice; readonly isGone: boolean }): ReactNode {
  const text = useFieldsText();
  const label = showInvisible(choice.label);
  return (
    <Combobox.Chip className={classes.chip ?? ''} title={isGone ? text.gone : undefined}>
      {isGone ? <s>{label}</s> : <span>{label}</span>}
      <Combobox.ChipRemove className={classes.remove ?? ''} aria-label={text.remove(label)}>
        <X aria-hidden />
      </Combobox.ChipRemove>
    </Combobox.Chip>
  );
}

function Line({ choice }: { readonly choice: Choice }): ReactNode {
  return (
    <Combobox.Item value={choice} disabled={choice.reason !== undefined} className={choiceClasses.item ?? ''}>
      <span>{showInvisible(choice.label)}</span>
      {choice.reason !== undefined && <span className={choiceClasses.reason}>{choice.reason}</span>}
      <Combobox.ItemIndicator className={classes.multiTick ?? ''}>
        <Check aria-hidden />
      </Combobox.ItemIndicator>
    </Combobox.Item>
  );
}
