import { Form as BaseForm } from '@base-ui/react/form';
import { useBlocker } from '@tanstack/react-router';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useSession } from '../../core/session/session-context.tsx';
import { keyNames, useShortcut } from '../../core/shortcuts.ts';
import { Button } from '../controls/button.tsx';
import classes from '../controls/controls.module.css';
import { SendAgain } from '../controls/form.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { useToast } from '../overlays/toast.tsx';
import {
  contestedKeys,
  EditedFields,
  type EditedRecord,
  type FieldEdit,
  type JsonForm,
  keysOf,
  type RecordValues,
  useRecord,
} from './use-record.ts';
import { RecordViews, ViewSwitch } from './record-views.tsx';
import { SaveBlocks, useSaveBlocks } from './save-blocks.ts';
import { useFormText } from '../text.ts';
import { useSending } from './use-sending.ts';

/** What is sent of a record. */
export interface SentRecord<T extends RecordValues> {
  /** What was changed, for a PATCH. */
  readonly changes: Partial<T>;
  /** All values, for a record that is new. */
  readonly values: T;
  /** Whether it is to be stored although somebody else has changed the record meanwhile. */
  readonly overwrite: boolean;
}

export interface RecordFormProps<T extends RecordValues> {
  /** The key of the draft: one record of one kind, within the organization of the page. */
  readonly draftKey: string;
  /**
   * The record as it is stored, or what a new one begins with: the same object until it is read anew. When it is,
   * values that were not changed here follow it, and fields that were show what somebody else has stored.
   */
  readonly stored: T;
  /** Whether it is not stored yet: it can be sent as it begins. */
  readonly isNew?: boolean;
  /** Values that are not written to the browser, such as keys. */
  readonly secrets?: readonly (keyof T & string)[];
  readonly submitLabel?: string;
  /** Why it cannot be saved now, such as a missing right. */
  readonly reason?: string | undefined;
  /** Further buttons, beside the one that saves. */
  readonly actions?: ReactNode;
  /** Stores the record. It ends once `stored` is what was sent: await the query that is read again. */
  readonly onSubmit: (sent: SentRecord<T>) => Promise<unknown>;
  /** The message once it is stored. */
  readonly done?: string;
  /** Reads the record again after it was changed by somebody else. */
  readonly onReload?: () => void;
  /** How it is written as JSON: those who build can change it so, too. */
  readonly json?: JsonForm<T>;
  readonly children: (record: EditedRecord<T>) => ReactNode;
}

/**
 * Edits a record. A dot marks what is not saved, `Ctrl+S` saves what was changed, leaving asks, and a draft is kept in
 * the browser until then. A 422 is said at its field, which gets the focus.
 */
export function RecordForm<T extends RecordValues>(props: RecordFormProps<T>): ReactNode {
  const { stored, isNew = false, secrets = [], onSubmit, onReload } = props;
  const [text, toast] = [useFormText(), useToast()];
  const form = useRef<HTMLFormElement>(null);
  const record = useRecord(props.draftKey, stored, secrets);
  const [isContested, setIsContested] = useState(false);
  // Whether the stored version was asked for since the last Save: the next one replaces it knowingly.
  const isCompared = useRef(false);
  const { isSending, errors, problem, againAt, send, cancel } = useSending((failure) => {
    // Somebody else has changed the record.
    if (failure.status !== 412) return undefined;
    setIsContested(true);
    return '';
  });
  const { edit } = record;
  const sentEdit = useRef(edit);
  useEffect(() => {
    // What was to be sent again is no more what one wants to be stored.
    if (sentEdit.current !== edit) cancel();
    sentEdit.current = edit;
  }, [cancel, edit]);
  const changed = keysOf(record.edit.changes);
  const blocks = useSaveBlocks();
  const view = useView(props.json, blocks.typed.length > 0);
  const isSendable = changed.length > 0 || isNew;
  const reason = props.reason ?? blocks.reason ?? (isSendable ? undefined : text.nothingToSave);
  const hasUnsaved = changed.length > 0 || blocks.typed.length > 0;
  // While it is sent, what answers may lead to the page of the new record.
  const isUnsaved = useLatest(() => hasUnsaved && !isSending);
  const discard = () => {
    isCompared.current = false;
    record.discard();
    blocks.discard();
  };

  const submit = async (overwrite: boolean) => {
    if (form.current === null || reason !== undefined) return;
    const mayReplace = overwrite || isCompared.current;
    isCompared.current = false;
    // What was read again by itself may have come a moment before the click.
    if (!mayReplace && contestedKeys(edit, stored).length > 0) {
      setIsContested(true);
      return;
    }
    const { changes } = record.edit;
    await send(form.current, async () => {
      await onSubmit({ changes, values: record.values, overwrite });
      if (props.done !== undefined) toast(props.done);
      setIsContested(false);
      record.saved(changes);
    });
  };
  const reload =
    onReload &&
    (() => {
      isCompared.current = true;
      setIsContested(false);
      onReload();
    });
  useSaveKey(form);

  return (
    <SaveBlocks value={blocks.form}>
      <EditedFields value={useFieldEdits(record, stored, blocks.typed)}>
        <BaseForm
          ref={form}
          className={classes.form ?? ''}
          errors={errors}
          onKeyDown={saveByKey}
          onSubmit={(event) => {
            event.preventDefault();
            // React hands on what is submitted in a dialog that was opened from within: that is not this form.
            if (event.target === event.currentTarget) void submit(false);
          }}
        >
          <RecordViews record={record} stored={stored} json={view.json} isJson={view.isJson}>
            {props.children}
          </RecordViews>
          <SaveBar
            label={props.submitLabel}
            isSending={isSending}
            reason={reason}
            isUnsaved={hasUnsaved}
            actions={props.actions}
            aside={view.switch}
            onDiscard={discard}
          >
            <Alert problem={problem} isContested={isContested} />
            <SendAgain at={againAt} />
            {isContested && <Contested onReload={reload} onOverwrite={() => void submit(true)} />}
          </SaveBar>
        </BaseForm>
        <LeaveGuard
          isUnsaved={isUnsaved}
          why={whyLeave(
            text,
            blocks.typed.length > 0,
            secrets.some((key) => changed.includes(key)),
          )}
          onDiscard={discard}
        />
      </EditedFields>
    </SaveBlocks>
  );
}

/** Returns how a record is shown, which those who build choose: as a form, or as JSON. */
function useView<T extends RecordValues>(json: JsonForm<T> | undefined, hasInvalidText: boolean) {
  const [isJson, setIsJson] = useState(false);
  if (json === undefined) return { json, isJson, switch: undefined };
  return { json, isJson, switch: <ViewSwitch isJson={isJson} hasInvalidText={hasInvalidText} onSwitch={setIsJson} /> };
}

interface LeaveGuardProps {
  /** Returns whether something would be left unsaved. */
  readonly isUnsaved: () => boolean;
  /** Says what is kept. */
  readonly why: string;
  readonly onDiscard: () => void;
}

/** Asks before a page with unsaved changes is left. Its own tabs are parts of it; who has signed out is not held. */
function LeaveGuard({ isUnsaved, why, onDiscard }: LeaveGuardProps): ReactNode {
  const [text, session] = [useFormText(), useSession()];
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved() && session.state !== 'none' && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <Dialog open={status === 'blocked'} onClose={() => reset?.()} title={text.leaveTitle} description={why}>
      <div className="wrap">
        <Button variant="primary" onClick={() => reset?.()}>
          {text.stay}
        </Button>
        <Button onClick={() => proceed?.()}>{text.leave}</Button>
        <Button
          variant="danger"
          onClick={() => {
            onDiscard();
            proceed?.();
          }}
        >
          {text.leaveAndDiscard}
        </Button>
      </div>
    </Dialog>
  );
}

function whyLeave(text: ReturnType<typeof useFormText>, hasInvalid: boolean, hasSecret: boolean): string {
  if (hasInvalid) return text.leaveWithInvalid;
  return hasSecret ? text.leaveWithSecret : text.leaveWhy;
}

/** Saves the form that has the focus, of several on one page. */
function saveByKey(event: KeyboardEvent<HTMLFormElement>): void {
  const isChord = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's';
  const isWithin = event.target instanceof Node && event.currentTarget.contains(event.target);
  if (!isChord || !isWithin || event.isDefaultPrevented()) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

/** Saves by `Ctrl+S` from outside of the form. */
function useSaveKey(form: RefObject<HTMLFormElement | null>): void {
  const { save } = useFormText();
  useShortcut('Mod+s', save, () => {
    // Another form, or a dialog over this one, that has the focus is what is meant to be saved.
    const around = document.activeElement?.closest('form, dialog, [role=dialog], [role=alertdialog]') ?? null;
    if (around === null || around.contains(form.current)) form.current?.requestSubmit();
  });
}

interface SaveBarProps {
  /** What it is called; to save unless given. */
  readonly label: string | undefined;
  readonly isSending: boolean;
  readonly reason: string | undefined;
  readonly isUnsaved: boolean;
  readonly actions: ReactNode;
  /** Shown at the end. */
  readonly aside: ReactNode;
  readonly onDiscard: () => void;
  /** Says above the buttons why it was not saved. */
  readonly children: ReactNode;
}

/** Stays in sight while a long form is scrolled. */
function SaveBar(props: SaveBarProps): ReactNode {
  const { label, isSending, reason, isUnsaved, actions, aside, onDiscard, children } = props;
  const text = useFormText();
  return (
    <div className={`list ${classes.bar}`}>
      {children}
      <div className="row">
        <Button type="submit" variant="primary" busy={isSending} reason={reason} title={keyNames('Mod+s').join()}>
          {label ?? text.save}
        </Button>
        {actions}
        {isUnsaved && (
          <Button variant="quiet" onClick={onDiscard}>
            {text.discard}
          </Button>
        )}
        <output className={`soft ms-auto ${classes.formStatus}`}>{isUnsaved && text.unsaved}</output>
        {aside}
      </div>
    </div>
  );
}

function Alert({ problem, isContested }: { readonly problem: string; readonly isContested: boolean }) {
  const text = useFormText();
  return (
    <div role="alert" className={classes.problem}>
      {isContested && problem === '' ? text.changedMeanwhile : problem}
    </div>
  );
}

function Contested({ onReload, onOverwrite }: { onReload: (() => void) | undefined; onOverwrite: () => void }) {
  const text = useFormText();
  return (
    <div className={`list p-3 ${classes.contested}`}>
      <p>{text.changedMeanwhileWhy}</p>
      <div className="wrap">
        {onReload !== undefined && <Button onClick={onReload}>{text.showStored}</Button>}
        <Button variant="danger" onClick={onOverwrite}>
          {text.overwrite}
        </Button>
      </div>
    </div>
  );
}

/** Returns what has become of the record's fields, for the dots and notes at them. */
function useFieldEdits<T extends RecordValues>(
  record: EditedRecord<T>,
  stored: T,
  typed: readonly string[],
): ReadonlyMap<string, FieldEdit> {
  const { edit } = record;
  const leave = useLatest((key: keyof T & string) => record.leave([key]));
  return useMemo(() => {
    const contested = contestedKeys(edit, stored);
    const entryOf = (key: keyof T & string): [string, FieldEdit] => {
      if (!contested.includes(key)) return [key, { isChanged: true }];
      return [key, { isChanged: true, theirs: { words: wordsOf(stored[key]), take: () => leave(key) } }];
    };
    const unread = typed.map((name): [string, FieldEdit] => [name, { isChanged: true }]);
    return new Map([...unread, ...keysOf(edit.changes).map(entryOf)]);
  }, [edit, stored, typed, leave]);
}

/** Returns a function that stays the same, and does what the one that was given last does. */
function useLatest<A extends unknown[], R>(run: (...args: A) => R): (...args: A) => R {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  return useCallback((...args: A) => latest.current(...args), []);
}

const MAX_WORDS = 300;

function wordsOf(value: unknown): string {
  const words = typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
