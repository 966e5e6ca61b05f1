import { Select } from '@base-ui/react/select';
import { Check, ChevronDown, Minus, Plus, X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Combobox } from '@base-ui/react/combobox';
import { Field as BaseField } from '@base-ui/react/field';
import { NumberField as BaseNumberField } from '@base-ui/react/number-field';
import { Checkbox } from '@base-ui/react/checkbox';
import { Switch } from '@base-ui/react/switch';
import choiceClasses from '../controls/controls.module.css';
import { FieldFrame } from './text-fields.tsx';
import classes from './fields.module.css';
import { type Choice, ChoiceSign, usableFirst, useLeftWords } from '../controls/choice.tsx';
import { useControlsText, useFieldsText } from '../text.ts';
import { showInvisible } from '../visible.ts';

/** One of a few that can be chosen. */
export interface SelectOption<V extends string = string> {
  readonly value: V;
  readonly label: string;
  /** Why it cannot be chosen now. */
  readonly reason?: string | undefined;
}

interface SelectFieldProps<V extends string> {
  readonly label: string;
  /** Whether the label is only read out, as in a row of tools or of a list. */
  readonly isLabelHidden?: boolean;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly options: readonly SelectOption<V>[];
  readonly value: V | null;
  readonly onValueChange: (value: V) => void;
  /** What is shown while nothing is chosen. */
  readonly placeholder?: string;
}

/** A field in which one of a few is chosen. For many there is `ChoiceField`, in which one types. */
export function SelectField<V extends string>({
  label,
  isLabelHidden = false,
  name,
  hint,
  options,
  value,
  onValueChange,
  placeholder = '',
}: SelectFieldProps<V>): ReactNode {
  return (
    <FieldFrame label={label} name={name} hint={hint} layout={isLabelHidden ? 'hidden' : 'above'} isLabelled={false}>
      <Select.Root
        items={options}
        value={value}
        onValueChange={(chosen: V | null) => chosen !== null && onValueChange(chosen)}
      >
        <Select.Trigger className={`${choiceClasses.input} ${classes.trigger}`}>
          <Select.Value>{options.find((option) => option.value === value)?.label ?? placeholder}</Select.Value>
          <Select.Icon className={classes.icon ?? ''}>
            <ChevronDown aria-hidden />
          </Select.Icon>
        </Select.Trigger>
        <Select.Portal>
          <Select.Positioner
            className={choiceClasses.positioner ?? ''}
            sideOffset={4}
            align="start"
            alignItemWithTrigger={false}
          >
            <Select.Popup className={choiceClasses.popup ?? ''}>
              <Select.List>
                {options.map((option) => (
                  <Select.Item
                    key={option.value}
                    value={option.value}
                    disabled={option.reason !== undefined}
                    className={choiceClasses.item ?? ''}
                  >
                    <Select.ItemText>{option.label}</Select.ItemText>
                    {option.reason !== undefined && <span className={choiceClasses.reason}>{option.reason}</span>}
                    <Select.ItemIndicator className={classes.icon ?? ''}>
                      <Check aria-hidden />
                    </Select.ItemIndicator>
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </FieldFrame>
  );
}

interface SuggestFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly placeholder?: string | undefined;
  /** What is offered while one types; anything else can be typed as well. */
  readonly suggestions: readonly string[];
  readonly value: string;
  readonly onValueChange: (value: string) => void;
  /** Called when somebody reaches for the field, for suggestions that are read only then. */
  readonly onReach?: () => void;
}

/** How many lines a list shows at most: one types to see others. */
const MAX_SHOWN = 200;

/** A line of text with suggestions. For one of a fixed set there is `ChoiceField`. */
export function SuggestField(props: SuggestFieldProps): ReactNode {
  const { label, name, hint, placeholder, suggestions, value, onValueChange, onReach } = props;
  const [isOpen, setIsOpen] = useState(false);
  const wanted = value.trim().toLowerCase();
  // An open list without a line would be an empty box that keeps the rest of the page from being reached.
  const hasAny = suggestions.some((suggestion) => suggestion.toLowerCase().includes(wanted));
  const isShown = isOpen && hasAny;
  return (
    <FieldFrame label={label} name={name} hint={hint}>
      <Autocomplete.Root
        items={suggestions}
        limit={MAX_SHOWN}
        openOnInputClick
        open={isShown}
        onOpenChange={(open) => setIsOpen(open)}
        value={value}
        onValueChange={(typed) => onValueChange(typed)}
      >
        <div className={choiceClasses.choiceField}>
          <Autocomplete.Input
            className={choiceClasses.input ?? ''}
            placeholder={placeholder}
            onFocus={onReach}
            onKeyDown={(event) => {
              // Escape closes the list; without one it would take away what was typed.
              if (event.key === 'Escape' && !isShown) event.preventBaseUIHandler();
            }}
          />
          {suggestions.length > 0 && <ChoiceSign />}
        </div>
        <Autocomplete.Portal>
          <Autocomplete.Positioner className={choiceClasses.positioner ?? ''} sideOffset={4}>
            <Autocomplete.Popup className={choiceClasses.popup ?? ''}>
              <Autocomplete.List>
                {(suggestion: string) => (
                  <Autocomplete.Item key={suggestion} value={suggestion} className={choiceClasses.item ?? ''}>
                    {suggestion}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
    </FieldFrame>
  );
}

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

interface NumberFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  /** The number; null while the field is empty. */
  readonly value: number | null;
  readonly onValueChange: (value: number | null) => void;
  readonly min?: number;
  readonly max?: number;
  /** What the keys and buttons add: 1 unless given. */
  readonly step?: number;
  /** What the number counts, shown after it. */
  readonly unit?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
}

const DIGITS: Intl.NumberFormatOptions = { maximumFractionDigits: 10 };

/** A number, typed or stepped by the arrow keys; one beyond its bounds is brought within them. */
export function NumberField({
  label,
  name,
  hint,
  unit,
  placeholder,
  step = 1,
  ...number
}: NumberFieldProps): ReactNode {
  const text = useFieldsText();
  return (
    <FieldFrame label={label} name={name} hint={hint}>
      <BaseNumberField.Root {...number} step={step} format={DIGITS} className={classes.root ?? ''}>
        <BaseNumberField.Group className={classes.group ?? ''}>
          <BaseNumberField.Input className={classes.input ?? ''} placeholder={placeholder} />
          {unit !== undefined && (
            <BaseField.Description render={<span />} className={classes.unit ?? ''}>
              {unit}
            </BaseField.Description>
          )}
          <BaseNumberField.Decrement className={classes.step ?? ''} aria-label={text.decrease}>
            <Minus aria-hidden />
          </BaseNumberField.Decrement>
          <BaseNumberField.Increment className={classes.step ?? ''} aria-label={text.increase}>
            <Plus aria-hidden />
          </BaseNumberField.Increment>
        </BaseNumberField.Group>
      </BaseNumberField.Root>
    </FieldFrame>
  );
}

/** What a field that is on or off is given. */
interface ToggleFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly value: boolean;
  readonly onValueChange: (value: boolean) => void;
  /** Why it cannot be changed now. */
  readonly reason?: string | undefined;
}

/** A box to tick: something that holds once the form is sent. */
export function CheckboxField({ label, name, hint, value, onValueChange, reason }: ToggleFieldProps): ReactNode {
  return (
    <FieldFrame label={label} name={name} hint={reason ?? hint} layout="beside">
      <Checkbox.Root
        checked={value}
        readOnly={reason !== undefined}
        className={classes.box ?? ''}
        onCheckedChange={(checked) => onValueChange(checked)}
      >
        <Checkbox.Indicator className={classes.tick ?? ''}>
          <Check aria-hidden />
        </Checkbox.Indicator>
      </Checkbox.Root>
    </FieldFrame>
  );
}

/** A switch: something that works, or does not. */
export function SwitchField({ label, name, hint, value, onValueChange, reason }: ToggleFieldProps): ReactNode {
  return (
    <FieldFrame label={label} name={name} hint={reason ?? hint} layout="beside">
      <Switch.Root
        checked={value}
        readOnly={reason !== undefined}
        className={classes.switch ?? ''}
        onCheckedChange={(checked) => onValueChange(checked)}
      >
        <Switch.Thumb className={classes.thumb ?? ''} />
      </Switch.Root>
    </FieldFrame>
  );
}
