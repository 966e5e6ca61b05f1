import { useCallback, useEffect, useRef, useState } from 'react';
import { Problem } from '../../core/http/problem.ts';

/** The name of a field that is all of its record. */
export const WHOLE_RECORD = 'whole record';

/** How the sending of a form goes. */
export interface Sending {
  readonly isSending: boolean;
  /** What the server has said about fields that the form has, by their names. */
  readonly errors: Readonly<Record<string, string>>;
  /** What it has said about no field; '' for nothing. */
  readonly problem: string;
  /** When it is sent again by itself, in milliseconds since 1970: the server has asked to wait until then. */
  readonly againAt: number | undefined;
  /** Sends a form, unless it is being sent. What fails is said; the first field that it is about gets the focus. */
  send(form: HTMLFormElement, work: () => Promise<void>): Promise<void>;
  /** Has nothing sent again by itself: what was to be sent has changed. */
  cancel(): void;
}

/** Returns what sends a form. `describe` says what a problem means here; it says its own words where that does not. */
export function useSending(describe?: (problem: Problem) => string | undefined): Sending {
  const [isSending, setIsSending] = useState(false);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState('');
  const [againAt, setAgainAt] = useState<number>();
  const isBusy = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const changes = useRef(0);
  const cancel = useCallback(() => {
    changes.current += 1;
    clearTimeout(timer.current);
    setAgainAt(undefined);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);

  const send = async (form: HTMLFormElement, work: () => Promise<void>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    cancel();
    const sentAt = changes.current;
    setIsSending(true);
    setProblem('');
    setErrors({});
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const own = fieldsIn(form, error.fields);
      setErrors(own);
      focusFirst(form, own);
      if (Object.keys(own).length === 0) setProblem(describe?.(error) ?? error.message);
      const waitMs = waitOf(error);
      // What was changed while it was under way is not what was sent.
      if (waitMs !== undefined && changes.current === sentAt) {
        setAgainAt(timeAfter(waitMs));
        timer.current = setTimeout(() => void send(form, work), waitMs);
      }
    } finally {
      isBusy.current = false;
      setIsSending(false);
    }
  };
  return { isSending, errors, problem, againAt, send, cancel };
}

/** Somebody who is to wait longer than this decides for themselves. */
const LONGEST_WAIT_MS = 60_000;

function timeAfter(ms: number): number {
  return Date.now() + ms;
}

function waitOf({ status, retryAfterSeconds }: Problem): number | undefined {
  if (status !== 429 || retryAfterSeconds === undefined) return undefined;
  const waitMs = retryAfterSeconds * 1_000;
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}

/** Returns the errors of fields that the form has: an error of another one is said above the button. */
function fieldsIn(form: HTMLFormElement, fields: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(fieldsOf(form).map(nameOf));
  if (names.has(WHOLE_RECORD)) return wholeIn(fields);
  const found = Object.entries(fields).flatMap(([path, words]) => {
    const at = fieldAt(path, names);
    return at === undefined ? [] : [[at.name, at.rest === '' ? words : `${at.rest}: ${words}`] as const];
  });
  // The first one of a field is the one that is said.
  return Object.fromEntries(found.toReversed());
}

/** Returns what is said about the fields of a record that is one field of its form. */
function wholeIn(fields: Readonly<Record<string, string>>): Record<string, string> {
  const lines = Object.entries(fields)
    .toReversed()
    .map(([path, words]) => `${path}: ${words}`);
  return lines.length === 0 ? {} : { [WHOLE_RECORD]: lines.join('\n') };
}

/** Finds the field that a path is about: `tools.3` is about the field `tools`, `soul.tone` may be about `tone`. */
function fieldAt(path: string, names: ReadonlySet<string>): { name: string; rest: string } | undefined {
  const parts = path.split('.');
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join('.');
    if (names.has(name)) return { name, rest: parts.slice(length).join('.') };
  }
  const last = parts.at(-1) ?? path;
  return names.has(last) ? { name: last, rest: '' } : undefined;
}

const CONTROLS =
  'input:not([aria-hidden=true], [type=hidden]), textarea, select, button, [data-editor], [tabindex="0"]';

/** Focuses the first field of the form with an error. */
function focusFirst(form: HTMLFormElement, errors: Readonly<Record<string, string>>): void {
  const field = fieldsOf(form).find((element) => nameOf(element) in errors);
  field?.querySelector<HTMLElement>(CONTROLS)?.focus();
}

function fieldsOf(form: HTMLFormElement): HTMLElement[] {
  return [...form.querySelectorAll<HTMLElement>('[data-field]')];
}

function nameOf(field: HTMLElement): string {
  return field.dataset['field'] ?? '';
}
