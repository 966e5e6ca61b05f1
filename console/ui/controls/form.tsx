import { Form as BaseForm } from '@base-ui/react/form';
import { type ReactNode, useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import classes from './form.module.css';
import { Button } from './button.tsx';

interface FormProps {
  readonly children: ReactNode;
  /** The words of the button that sends it. */
  readonly submitLabel: string;
  /** Further buttons, beside the one that sends it. */
  readonly actions?: ReactNode;
  /** Sends what was entered, by the names of the fields. What it throws is said at the field or above the button. */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<void>;
  /** Says what a problem means here; its own words unless it does. */
  readonly describe?: (problem: Problem) => string | undefined;
}

/**
 * A form that keeps what was entered until the server has taken it. A 422 is said at its field, which gets the focus.
 */
export function Form({ children, submitLabel, actions, onSubmit, describe }: FormProps) {
  const [isSending, setIsSending] = useState(false);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();

  const submit = async (form: HTMLFormElement) => {
    if (isSending) return;
    setIsSending(true);
    setProblem(undefined);
    setErrors({});
    try {
      await onSubmit(valuesOf(form));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const own = fieldsIn(form, error.fields);
      setErrors(own);
      firstOf(form, own)?.focus();
      if (Object.keys(own).length === 0) setProblem(describe?.(error) ?? error.message);
    } finally {
      setIsSending(false);
    }
  };

  return (
    <BaseForm
      className={classes.form ?? ''}
      errors={errors}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      {children}
      <p role="alert" className={classes.problem}>
        {problem}
      </p>
      <div className={classes.actions}>
        <Button type="submit" look="primary" busy={isSending}>
          {submitLabel}
        </Button>
        {actions}
      </div>
    </BaseForm>
  );
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  const entries = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}

/** Returns the errors of fields that the form has: an error of another one is said above the button. */
function fieldsIn(form: HTMLFormElement, fields: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(fields).map(([name, words]) => [name.split('.').at(-1) ?? name, words] as const);
  return Object.fromEntries(named.filter(([name]) => form.elements.namedItem(name) !== null));
}

/** Returns the first field of the form with an error. */
function firstOf(form: HTMLFormElement, errors: Readonly<Record<string, string>>): HTMLElement | undefined {
  return [...form.elements].find(
    (element): element is HTMLInputElement => element instanceof HTMLInputElement && element.name in errors,
  );
}
