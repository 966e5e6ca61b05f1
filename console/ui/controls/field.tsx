import { Field as BaseField } from '@base-ui/react/field';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { useFirstFocus } from '../../core/browser/first-focus.ts';
import { FieldFrame } from './field-frame.tsx';
import classes from './field.module.css';

interface FieldProps extends Omit<ComponentProps<'input'>, 'value' | 'defaultValue'> {
  readonly label: string;
  /** The name of the value in what the server is sent, and in what it says about it. */
  readonly name: string;
  readonly hint?: ReactNode;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onValueChange?: (value: string) => void;
  /** Whether it gets the focus when the page is opened. */
  readonly isFirst?: boolean;
}

/** A line of text with its label, a hint, and what the server has said about it. */
export function Field({ label, name, hint, isFirst, ...input }: FieldProps) {
  const control = useRef<HTMLInputElement>(null);
  useFirstFocus(control, isFirst);
  return (
    <FieldFrame label={label} name={name} hint={hint}>
      <BaseField.Control {...input} ref={control} className={classes.input ?? ''} />
    </FieldFrame>
  );
}
