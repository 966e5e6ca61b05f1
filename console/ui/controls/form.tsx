import { Form as BaseForm } from '@base-ui/react/form';
import { type ReactNode, useEffect, useRef } from 'react';
import { useNow } from '../../core/clock.ts';
import type { Problem } from '../../core/http/problem.ts';
import { useText } from '../../core/text/text-context.tsx';
import { useSending } from '../form/use-sending.ts';
import { Button } from './button.tsx';
import classes from './controls.module.css';

interface FormProps {
  readonly children: ReactNode;
  /** The words of the button that sends it. */
  readonly submitLabel: string;
  /** How that button looks: as the first one of the form, unless it takes something away. */
  readonly variant?: 'primary' | 'danger';
  /** Why it cannot be sent now. */
  readonly reason?: string | undefined;
  /** Whether it is sent as soon as it is shown, since all that it needs was given before. */
  readonly isSentAtOnce?: boolean;
  /** Further buttons, beside the one that sends it. */
  readonly actions?: ReactNode;
  /**
   * Sends what was entered, by the names of the fields, and of the button that sent it if it has one. What it throws is
   * said at the field or above the button.
   */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<void>;
  /** Says what a problem means here; its own words unless it does. */
  readonly describe?: (problem: Problem) => string | undefined;
}

/**
 * A short form of texts that keeps what was entered until the server has taken it. A 422 is said at its field, which
 * gets the focus. For records that are read, changed and stored again there is `RecordForm`.
 */
export function Form(props: FormProps) {
  const {
    children,
    submitLabel,
    variant = 'primary',
    reason,
    isSentAtOnce = false,
    actions,
    onSubmit,
    describe,
  } = props;
  const { isSending, errors, problem, againAt, send, cancel } = useSending(describe);
  const form = useRef<HTMLFormElement>(null);
  const isDue = useRef(isSentAtOnce);
  useEffect(() => {
    if (!isDue.current) return;
    isDue.current = false;
    form.current?.requestSubmit();
  }, []);
  return (
    <BaseForm
      ref={form}
      className={classes.form ?? ''}
      errors={errors}
      onChange={cancel}
      onSubmit={(event) => {
        event.preventDefault();
        // React hands the event on to a form from which a dialog was opened, although that is not around this one.
        event.stopPropagation();
        const { currentTarget } = event;
        const { submitter } = event.nativeEvent;
        if (reason === undefined) void send(currentTarget, async () => onSubmit(valuesOf(currentTarget, submitter)));
      }}
    >
      {children}
      <p role="alert" className={classes.problem}>
        {problem}
      </p>
      <SendAgain at={againAt} />
      <div className="wrap">
        <Button type="submit" variant={variant} busy={isSending} reason={reason}>
          {submitLabel}
        </Button>
        {actions}
      </div>
    </BaseForm>
  );
}

/** Counts down until a form is sent again by itself; nothing when it is not. */
export function SendAgain({ at }: { readonly at: number | undefined }): ReactNode {
  return at === undefined ? null : <Countdown at={at} />;
}

function Countdown({ at }: { readonly at: number }): ReactNode {
  const text = useText().problem;
  const seconds = Math.max(0, Math.ceil((at - useNow()) / 1_000));
  return <p className="soft">{text.sentAgain(seconds)}</p>;
}

function valuesOf(form: HTMLFormElement, submitter: HTMLElement | null): Record<string, string> {
  const entries = [...new FormData(form, submitter)].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}
