import { Field as BaseField } from '@base-ui/react/field';
import type { ReactNode } from 'react';
import { useFieldEdit } from '../form/use-record.ts';
import { Button } from './button.tsx';
import classes from './controls.module.css';
import { useControlsText } from '../text.ts';

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
        const fault = Object.entries(validity).find(([kind, holds]) => holds === true && kind in words)?.[0];
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
