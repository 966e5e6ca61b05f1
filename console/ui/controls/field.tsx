import { Field as BaseField } from '@base-ui/react/field';
import type { ComponentProps, ReactNode } from 'react';
import classes from './field.module.css';

interface FieldProps extends Omit<ComponentProps<'input'>, 'value' | 'defaultValue'> {
  readonly label: string;
  /** The name of the value in what the server is sent, and in what it says about it. */
  readonly name: string;
  readonly hint?: ReactNode;
  readonly value?: string;
  readonly defaultValue?: string;
}

/** A line of text with its label, a hint, and what the server has said about it. */
export function Field({ label, name, hint, ...input }: FieldProps) {
  return (
    <BaseField.Root name={name} className={classes.field ?? ''}>
      <BaseField.Label className={classes.label ?? ''}>{label}</BaseField.Label>
      <BaseField.Control {...input} className={classes.input ?? ''} />
      {hint !== undefined && <BaseField.Description className={classes.hint ?? ''}>{hint}</BaseField.Description>}
      <BaseField.Error className={classes.error ?? ''} />
    </BaseField.Root>
  );
}
