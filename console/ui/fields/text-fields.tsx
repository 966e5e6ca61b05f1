import { Field as BaseField } from '@base-ui/react/field';
import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { useFirstFocus } from '../../core/browser/first-focus.ts';
import { FieldFrame } from '../controls/field-frame.tsx';
import classes from '../controls/controls.module.css';

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

interface MomentFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  /** The time in ISO 8601; null while the field is empty. */
  readonly value: string | null;
  readonly onValueChange: (value: string | null) => void;
}

/** A day with the time of day, on the clock of the browser. */
export function MomentField({ value, onValueChange, ...field }: MomentFieldProps): ReactNode {
  // What is typed stays as it is while it stands for the value: a year that is half typed is one of long ago.
  const [typed, setTyped] = useState({ text: shownOf(value), stands: value });
  const change = (text: string) => {
    const time = new Date(text);
    const stands = Number.isNaN(time.getTime()) ? null : time.toISOString();
    setTyped({ text, stands });
    onValueChange(stands);
  };
  return (
    <Field
      {...field}
      type="datetime-local"
      value={typed.stands === value ? typed.text : shownOf(value)}
      onValueChange={change}
    />
  );
}

function shownOf(value: string | null): string {
  return value === null ? '' : localMinute(new Date(value));
}

const MINUTE_MS = 60_000;

/** Returns a time as a field for a local one takes it, to the minute: "2026-11-25T14:32". */
export function localMinute(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, 16);
}
