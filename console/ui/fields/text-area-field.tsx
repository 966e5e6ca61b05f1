import { Field as BaseField } from '@base-ui/react/field';
import { type ReactNode, useRef } from 'react';
import { useFirstFocus } from '../../core/browser/first-focus.ts';
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
  /** Whether it gets the focus when it is first shown. */
  readonly isFirst?: boolean;
}

/** A text of several lines; the field grows with it. */
export function TextAreaField({ label, name, hint, isFirst, ...area }: TextAreaFieldProps): ReactNode {
  const control = useRef<HTMLTextAreaElement>(null);
  useFirstFocus(control, isFirst);
  return (
    <FieldFrame label={label} name={name} hint={hint}>
      <BaseField.Control
        {...area}
        render={<textarea ref={control} rows={3} />}
        className={`${classes.input} ${classes.text}`}
      />
    </FieldFrame>
  );
}
