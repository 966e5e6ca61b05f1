import { type ReactNode, useMemo, useState } from 'react';
import { FieldFrame } from '../fields/text-fields.tsx';
import classes from '../controls/controls.module.css';
import { useDiscards, useSaveBlock } from '../form/save-blocks.ts';
import { Editor } from './editor.tsx';
import { readJson, writeJson } from './json-text.ts';
import { useEditorText } from '../text.ts';

interface JsonFieldProps<T> {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly value: T;
  /**
   * Called with each text that is JSON and fits; meanwhile the record form around cannot be saved. A text that was kept
   * over a change from outside comes with the value that it was changed from.
   */
  readonly onValueChange: (value: T, from: T | undefined) => void;
  /** Says why a value does not fit; undefined when it does. */
  readonly faultOf?: (value: unknown) => string | undefined;
  /** Returns how a value that fits will stand in `value`, where that is not word for word. */
  readonly normalise?: (value: T) => T;
  /** Whether a text that does not fit yet is kept when the value is changed from outside. */
  readonly isKeptWhileUnfit?: boolean;
  /** Whether an empty text is a value that is not set. */
  readonly isOptional?: boolean;
  readonly size?: 'small' | 'large';
}

interface TypedText<T> {
  readonly text: string;
  /** The value that it stands for, as it is written when nobody types. */
  readonly stands: string;
  /** How often changes had been discarded when it was typed. */
  readonly discards: number;
  /** The value that a text was typed over that does not fit yet. */
  readonly over?: { readonly value: T; readonly written: string };
}

/** A value that is edited as JSON. What is not JSON is marked at its line, stays as it was typed, and is not saved. */
export function JsonField<T>(props: JsonFieldProps<T>): ReactNode {
  const {
    value,
    onValueChange,
    faultOf,
    normalise,
    isKeptWhileUnfit = false,
    isOptional = false,
    size,
    ...frame
  } = props;
  const { notJson } = useEditorText();
  const readText = (text: string) => (isOptional && text.trim() === '' ? { value: undefined } : readJson(text));
  const stored = writeJson(value);
  const discards = useDiscards();
  const [typed, setTyped] = useState<TypedText<T>>({ text: stored, stands: stored, discards });
  const isKept = isKeptWhileUnfit && typed.over !== undefined;
  // The text is kept as it was typed unless the value was changed from outside, or all changes were discarded.
  const isTyped = (typed.stands === stored || isKept) && typed.discards === discards;
  const text = isTyped ? typed.text : stored;
  const read = readText(text);
  const line = 'fault' in read ? read.fault.line : 1;
  const message = 'fault' in read ? notJson(line) : faultOf?.(read.value);
  const faults = useMemo(() => (message === undefined ? [] : [{ line, message }]), [line, message]);
  useSaveBlock(frame.name, message && `${frame.label}: ${message}`, text !== stored);
  const change = (changed: string): void => {
    const next = readText(changed);
    const fits = 'value' in next && faultOf?.(next.value) === undefined;
    const over = (isTyped ? typed.over : undefined) ?? { value, written: stored };
    if (!fits) return setTyped({ text: changed, stands: stored, discards, over });
    const fitting = next.value as T;
    setTyped({ text: changed, stands: writeJson(normalise?.(fitting) ?? fitting), discards });
    return onValueChange(fitting, over.written === stored ? undefined : over.value);
  };
  return (
    <FieldFrame {...frame} isLabelled={false}>
      <Editor
        label={frame.label}
        language="json"
        value={text}
        faults={faults}
        onValueChange={change}
        {...(size !== undefined && { size })}
      />
      <output className={classes.error}>{message}</output>
    </FieldFrame>
  );
}
