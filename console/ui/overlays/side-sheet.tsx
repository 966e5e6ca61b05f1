import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { ShortcutDialog } from '../../core/shortcuts.ts';
import { useText } from '../../core/text/text-context.tsx';
import { buttonClass } from '../controls/button.tsx';
import classes from './overlays.module.css';
import { firstFieldOf } from './dialog.tsx';

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
