import { Combobox } from '@base-ui/react/combobox';
import { Field as BaseField } from '@base-ui/react/field';
import { useText } from '../../core/text/text-context.tsx';
import classes from './choice.module.css';
import fieldClasses from './field.module.css';

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
  readonly placeholder?: string;
  readonly choices: readonly Choice[];
  readonly chosen: Choice | null;
  readonly onChoose: (choice: Choice | null) => void;
}

/** A field in which one of many is found by typing. */
export function ChoiceField({ label, name, placeholder, choices, chosen, onChoose }: ChoiceFieldProps) {
  const text = useText();
  return (
    <BaseField.Root name={name} className={fieldClasses.field ?? ''}>
      <BaseField.Label className={fieldClasses.label ?? ''}>{label}</BaseField.Label>
      <Combobox.Root items={choices} value={chosen} onValueChange={onChoose}>
        <Combobox.Input className={fieldClasses.input ?? ''} placeholder={placeholder} />
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
      <BaseField.Error className={fieldClasses.error ?? ''} />
    </BaseField.Root>
  );
}
