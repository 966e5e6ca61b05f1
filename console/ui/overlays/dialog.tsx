import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { ShortcutDialog } from '../../core/shortcuts.ts';
import { useText } from '../../core/text/text-context.tsx';
import { Button, buttonClass } from '../controls/button.tsx';
import classes from './overlays.module.css';
import { useToast } from './toast.tsx';
import { Problem } from '../../core/http/problem.ts';
import { Field } from '../fields/text-fields.tsx';
import formClasses from '../controls/controls.module.css';
import { useOverlaysText } from '../text.ts';
import { Section } from '../page/page.tsx';

interface DialogProps {
  readonly open: boolean;
  /** Called when it is to close; without it, it stays until its content is done. */
  readonly onClose?: () => void;
  readonly title: string;
  readonly description?: string | undefined;
  readonly children: ReactNode;
}

/** A window over the page. The focus goes to its first field, stays in it, and goes back to where it was. */
export function Dialog({ open, onClose, title, description, children }: DialogProps) {
  const text = useText();
  const popup = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose?.()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={classes.backdrop ?? ''} />
        <BaseDialog.Popup
          ref={popup}
          className={classes.popup ?? ''}
          initialFocus={(by) => firstFieldOf(popup.current, by)}
        >
          <header className={classes.header}>
            <BaseDialog.Title>{title}</BaseDialog.Title>
            {onClose !== undefined && (
              <BaseDialog.Close className={buttonClass('quiet')} aria-label={text.common.close}>
                <X aria-hidden />
              </BaseDialog.Close>
            )}
          </header>
          {description !== undefined && (
            <BaseDialog.Description className={classes.description ?? ''}>{description}</BaseDialog.Description>
          )}
          <ShortcutDialog value={popup}>{children}</ShortcutDialog>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

const FIELDS = 'input:not([type="hidden"], :disabled), textarea:not(:disabled), [role="combobox"]';

/** Returns what gets the focus when a window is opened: its first field, or what it is by default. */
export function firstFieldOf(popup: HTMLElement | null, openedBy: string): HTMLElement | true {
  // A touched field would bring up the keyboard of a phone over what is to be read first.
  return openedBy === 'touch' || (popup?.querySelector<HTMLElement>(FIELDS) ?? true);
}

interface SideSheetProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** Stands above the title: what kind of thing it is. */
  readonly kind?: ReactNode;
  readonly children: ReactNode;
}

/**
 * A look into something at the side of the page, which stays in sight. The focus goes to its first field, if it has
 * one, and back to where it was.
 */
export function SideSheet({ open, onClose, title, kind, children }: SideSheetProps) {
  const text = useText();
  const popup = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={classes.sheetBackdrop ?? ''} />
        <BaseDialog.Popup
          ref={popup}
          className={classes.sheet ?? ''}
          initialFocus={(by) => firstFieldOf(popup.current, by)}
        >
          <header className={classes.header}>
            <div className="wrap-anywhere min-w-0">
              {kind !== undefined && <span className="soft">{kind}</span>}
              <BaseDialog.Title>{title}</BaseDialog.Title>
            </div>
            <BaseDialog.Close className={buttonClass('quiet')} aria-label={text.common.close}>
              <X aria-hidden />
            </BaseDialog.Close>
          </header>
          <ShortcutDialog value={popup}>{children}</ShortcutDialog>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

interface ActionButtonProps extends Omit<ComponentProps<typeof Button>, 'busy' | 'onClick'> {
  /** Does what the button says. A message says why it has failed. */
  readonly action: () => Promise<unknown>;
  /** The message once it has worked. */
  readonly done?: string;
}

/** A button that is busy until what it began has ended. */
export function ActionButton({ action, done, ...button }: ActionButtonProps): ReactNode {
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  const run = () => {
    setIsBusy(true);
    action()
      .then(() => done !== undefined && toast(done))
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'))
      .finally(() => setIsBusy(false));
  };
  return <Button {...button} busy={isBusy} onClick={run} />;
}

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
  readonly onConfirm: () => Promise<unknown>;
  /** The message once it has worked. */
  readonly done?: string | undefined;
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
function Question({ action, typedName, onConfirm, done, onClose }: Omit<ConfirmProps, 'open'>): ReactNode {
  const [text, { cancel }, toast] = [useOverlaysText(), useText().common, useToast()];
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
      if (done !== undefined) toast(done);
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
        <Button type="submit" variant="danger" busy={isBusy} reason={isNamed ? undefined : text.nameFirst}>
          {action}
        </Button>
        <Button onClick={onClose}>{cancel}</Button>
      </div>
    </form>
  );
}

export interface ConfirmButtonProps extends Omit<ComponentProps<typeof Button>, 'busy' | 'onClick' | 'title'> {
  /** Asks what is going to be done: "Delete Main?". */
  readonly question: string;
  /** Says what it does, and what does not come back. */
  readonly why: string;
  /** Names the act, on the button of the dialog and, unless that has other words or none, on this one. */
  readonly action: string;
  readonly typedName?: ConfirmProps['typedName'];
  readonly onConfirm: ConfirmProps['onConfirm'];
  readonly done?: ConfirmProps['done'];
}

/** A button that asks before it does something that cannot be undone. */
export function ConfirmButton(props: ConfirmButtonProps): ReactNode {
  const { question, why, action, typedName, onConfirm, done, children = action, ...button } = props;
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setIsAsking(true)}>
        {children}
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={question}
        description={why}
        action={action}
        typedName={typedName}
        onConfirm={onConfirm}
        done={done}
      />
    </>
  );
}

interface DangerProps extends Pick<ConfirmButtonProps, 'question' | 'why' | 'action' | 'reason'> {
  readonly title: string;
  /** What else is to be known, below the title only. */
  readonly children?: ReactNode;
}

type ConfirmedProps = DangerProps & Pick<ConfirmButtonProps, 'typedName' | 'onConfirm' | 'done'>;

interface FormProps extends DangerProps {
  /** What is asked for before it is done, such as a password: a form that does it. */
  readonly form: ReactNode;
}

/** A part of a page for what cannot be undone, which asks before it is done. */
export function DangerSection({ title, children, ...asked }: ConfirmedProps | FormProps): ReactNode {
  const button = 'form' in asked ? <FormButton {...asked} /> : <ConfirmButton variant="danger" {...asked} />;
  return (
    <Section title={title} lead={asked.why} isDanger actions={button}>
      {children}
    </Section>
  );
}

function FormButton({ question, why, action, reason, form }: Omit<FormProps, 'title'>): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button variant="danger" reason={reason} onClick={() => setIsAsking(true)}>
        {action}
      </Button>
      <Dialog open={isAsking} onClose={() => setIsAsking(false)} title={question} description={why}>
        {form}
      </Dialog>
    </>
  );
}
