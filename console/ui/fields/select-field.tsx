import { Select } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import choiceClasses from '../controls/controls.module.css';
import { FieldFrame } from '../controls/field-frame.tsx';
import classes from './fields.module.css';

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
