import { Field as BaseField } from '@base-ui/react/field';
import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { useFieldEdit } from '../form/use-record.ts';
import { Button } from '../controls/button.tsx';
import classes from '../controls/controls.module.css';
import { useControlsText } from '../text.ts';
import { useFirstFocus } from '../../core/browser/first-focus.ts';

interface FieldFrameProps {
  readonly label: string;
  /** The name of the value in what the server is sent, and in what it says about it. */
  readonly name: string;
  readonly hint?: ReactNode;
  /** Where the label is: above the control, beside a small one, or only read out where the place says the same. */
  readonly layout?: 'above' | 'beside' | 'hidden';
  /** Whether the control is one that a `label` element names, as those are that one types in. */
  readonly isLabelled?: boolean;
  readonly children: ReactNode;
}

/** Holds a control with its label, a hint, what the server has said about it, and whether it is saved. */
export function FieldFrame(props: FieldFrameProps): ReactNode {
  const { label, name, hint, layout = 'above', isLabelled = true, children } = props;
  const labelProps = isLabelled ? {} : { nativeLabel: false, render: <div /> };
  return (
    <BaseField.Root name={name} data-field={name} className={classes.field ?? ''}>
      <div className={layout === 'beside' ? classes.beside : classes.head}>
        {layout === 'beside' && children}
        <BaseField.Label {...labelProps} className={(layout === 'hidden' ? classes.hidden : classes.label) ?? ''}>
          {label}
        </BaseField.Label>
        <Unsaved name={name} />
      </div>
      {layout !== 'beside' && children}
      <Notes name={name} hint={hint} />
    </BaseField.Root>
  );
}

function Notes({ name, hint }: { readonly name: string; readonly hint: ReactNode }): ReactNode {
  const { theirs } = useFieldEdit(name);
  return (
    <>
      {hint !== undefined && <BaseField.Description className="soft">{hint}</BaseField.Description>}
      {theirs !== undefined && <Theirs {...theirs} />}
      <Fault />
    </>
  );
}

/** Says what is wrong with the value: in words of our own where the browser's would depend on its language. */
function Fault(): ReactNode {
  const words: Partial<Record<string, string>> = useControlsText().faults;
  return (
    <BaseField.Validity>
      {({ validity }) => {
        const fault = Object.entries(validity).find(([kind, isSet]) => isSet === true && kind in words)?.[0];
        return (
          <BaseField.Error className={classes.error ?? ''} {...(fault !== undefined && { children: words[fault] })} />
        );
      }}
    </BaseField.Validity>
  );
}

function Unsaved({ name }: { readonly name: string }): ReactNode {
  const { unsaved } = useControlsText();
  if (!useFieldEdit(name).isChanged) return null;
  return (
    <span className={classes.unsaved} title={unsaved}>
      <span className={classes.hidden}>{unsaved}</span>
    </span>
  );
}

function Theirs({ words, take }: { readonly words: string; readonly take: () => void }): ReactNode {
  const text = useControlsText();
  return (
    <div className={classes.theirs}>
      <span>{text.theirs(words)}</span>
      <Button onClick={take}>{text.takeTheirs}</Button>
    </div>
  );
}

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
