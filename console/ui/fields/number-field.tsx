import { Field as BaseField } from '@base-ui/react/field';
import { NumberField as BaseNumberField } from '@base-ui/react/number-field';
import { Minus, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { FieldFrame } from '../controls/field-frame.tsx';
import classes from './fields.module.css';
import { useFieldsText } from '../text.ts';

interface NumberFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  /** The number; null while the field is empty. */
  readonly value: number | null;
  readonly onValueChange: (value: number | null) => void;
  readonly min?: number;
  readonly max?: number;
  /** What the keys and buttons add; any number may be typed unless it is given. */
  readonly step?: number;
  /** What the number counts, shown after it. */
  readonly unit?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
}

const DIGITS: Intl.NumberFormatOptions = { maximumFractionDigits: 10 };

/** A number, typed or stepped by the arrow keys; one beyond its bounds is brought within them. */
export function NumberField({ label, name, hint, unit, placeholder, step, ...number }: NumberFieldProps): ReactNode {
  const text = useFieldsText();
  return (
    <FieldFrame label={label} name={name} hint={hint}>
      <BaseNumberField.Root {...number} step={step ?? 'any'} format={DIGITS} className={classes.root ?? ''}>
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
