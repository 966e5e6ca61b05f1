import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { ShortcutDialog } from '../../core/shortcuts.ts';
import { useText } from '../../core/text/text-context.tsx';
import { buttonClass } from '../controls/button.tsx';
import classes from './overlays.module.css';

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
