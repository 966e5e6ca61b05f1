import { Field as BaseField } from '@base-ui/react/field';
import type { ReactNode } from 'react';
import { FieldFrame } from '../controls/field-frame.tsx';
import classes from '../controls/field.module.css';

interface TextAreaFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onValueChange?: (value: string) => void;
}

/** A text of several lines; the field grows with it. */
export function TextAreaField({ label, name, hint, ...area }: TextAreaFieldProps): ReactNode {
  return (
    <FieldFrame label={label} name={name} hint={hint}>
      <BaseField.Control {...area} render={<textarea rows={3} />} className={`${classes.input} ${classes.text}`} />
    </FieldFrame>
  );
}
