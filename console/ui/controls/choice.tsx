import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import classes from './controls.module.css';
import { FieldFrame } from '../fields/text-fields.tsx';
import { useControlsText } from '../text.ts';

/** Something that can be chosen. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Why it cannot be chosen now. */
  readonly reason?: string | undefined;
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly placeholder?: string;
  readonly choices: readonly Choice[];
  /** The value of the choice; one without a choice is shown as it is. */
  readonly value: string | null;
  readonly onValueChange: (value: string | null) => void;
}

/** Returns choices with those that cannot be chosen now at the end, where no typing leads to them first. */
export function usableFirst(choices: readonly Choice[]): readonly Choice[] {
  return choices.toSorted((one, other) => Number(one.reason !== undefined) - Number(other.reason !== undefined));
}

/** The sign of a field in which one types to choose. */
export function ChoiceSign(): ReactNode {
  return <ChevronDown aria-hidden className={classes.sign} />;
}

/** A field in which one of many is found by typing. Enter chooses the first that matches. */
export function ChoiceField(props: ChoiceFieldProps): ReactNode {
  const { label, name, hint, placeholder, choices, value, onValueChange } = props;
  const [text, { notChosen }] = [useText(), useControlsText()];
  const [left, noticing, keepForm] = useLeftWords();
  const chosen = choices.find((choice) => choice.value === value) ?? (value === null ? null : { value, label: value });
  return (
    <FieldFrame label={label} name={name} hint={left === '' ? hint : <output>{notChosen(left)}</output>}>
      <Combobox.Root
        {...noticing}
        autoHighlight
        items={usableFirst(choices)}
        value={chosen}
        isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
        onValueChange={(choice: Choice | null) => onValueChange(choice?.value ?? null)}
      >
        <div className={classes.choiceField}>
          <Combobox.Input className={classes.input ?? ''} placeholder={placeholder} onKeyDown={keepForm} />
          <ChoiceSign />
        </div>
        <Combobox.Portal>
          <Combobox.Positioner className={classes.positioner ?? ''} sideOffset={4}>
            <Combobox.Popup className={classes.popup ?? ''}>
              <Combobox.Empty className={classes.empty ?? ''}>{text.nav.nothingFound}</Combobox.Empty>
              <Combobox.List>
                {(choice: Choice) => (
                  <Combobox.Item
                    key={choice.value}
                    value={choice}
                    disabled={choice.reason !== undefined}
                    className={classes.item ?? ''}
                  >
                    <span>{choice.label}</span>
                    {choice.reason !== undefined && <span className={classes.reason}>{choice.reason}</span>}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
    </FieldFrame>
  );
}

/**
 * Returns the words that somebody has typed into a combobox and then left without choosing anything, '' for none; what
 * notices them; and what keeps Enter from sending the form along with them. The field shows what is chosen again.
 */
export function useLeftWords(): readonly [
  string,
  Pick<Combobox.Root.Props<unknown>, 'onInputValueChange' | 'onOpenChange'>,
  (event: KeyboardEvent) => void,
] {
  const [left, setLeft] = useState('');
  const typed = useRef('');
  return [
    left,
    {
      onInputValueChange: (words, { reason }) => {
        typed.current = reason === 'input-change' ? words.trim() : '';
        if (reason === 'input-change') setLeft('');
      },
      onOpenChange: (isOpen, { reason }) => {
        if (isOpen) return;
        setLeft(reason === 'item-press' || reason === 'escape-key' ? '' : typed.current);
        typed.current = '';
      },
    },
    (event) => {
      // Also while it says that nothing was chosen: the field is empty again then, and Enter is pressed twice easily.
      if (event.key === 'Enter' && (typed.current !== '' || left !== '')) event.preventDefault();
    },
  ];
}
