import { type ReactNode, useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { useText } from '../../core/text/text-context.tsx';
import { Button } from '../controls/button.tsx';
import { Field } from '../fields/text-fields.tsx';
import formClasses from '../controls/controls.module.css';
import { Dialog } from './dialog.tsx';
import { useOverlaysText } from '../text.ts';

export interface ConfirmProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** Asks what is going to be done: "Delete Main?". */
  readonly title: string;
  /** Says what it does, and what does not come back. */
  readonly description: string;
  /** Names the act, on the button. */
  readonly action: string;
  /** What has to be typed first, where nothing brings back what is taken away. */
  readonly typedName?: string | undefined;
  /** Does it. The dialog closes once it has worked, and says why when it has not. */
  readonly onConfirm: () => Promise<void>;
}

/** Asks before something that cannot be undone is done. */
export function Confirm({ open, onClose, ...rest }: ConfirmProps): ReactNode {
  return (
    <Dialog open={open} onClose={onClose} title={rest.title} description={rest.description}>
      <Question {...rest} onClose={onClose} />
    </Dialog>
  );
}

// What was typed is forgotten with the dialog, whose content goes when it closes.
function Question({ action, typedName, onConfirm, onClose }: Omit<ConfirmProps, 'open'>): ReactNode {
  const [text, { cancel }] = [useOverlaysText(), useText().common];
  const [typed, setTyped] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const isNamed = typedName === undefined || typed.trim() === typedName;
  const confirm = async () => {
    if (!isNamed || isBusy) return;
    setIsBusy(true);
    setProblem('');
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.message);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form
      className={formClasses.form}
      onSubmit={(event) => {
        event.preventDefault();
        // React hands the event on to a form in which the dialog was asked for, although that is not around it.
        event.stopPropagation();
        void confirm();
      }}
    >
      {typedName !== undefined && (
        <Field
          label={text.typeName(typedName)}
          name="typed-name"
          autoComplete="off"
          value={typed}
          onValueChange={setTyped}
        />
      )}
      <p role="alert" className={formClasses.problem}>
        {problem}
      </p>
      <div className="wrap">
        <Button type="submit" look="danger" busy={isBusy} reason={isNamed ? undefined : text.nameFirst}>
          {action}
        </Button>
        <Button onClick={onClose}>{cancel}</Button>
      </div>
    </form>
  );
}
