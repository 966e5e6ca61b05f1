import { type ReactNode, useState } from 'react';
import { Field } from '../controls/field.tsx';

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
