import { Toast as BaseToast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import { buttonClass } from '../controls/button.tsx';
import classes from './toast.module.css';

/** Shows short messages over the page, and reads them out. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  return (
    <BaseToast.Provider>
      {children}
      <BaseToast.Portal>
        <BaseToast.Viewport className={classes.viewport ?? ''}>
          <Toasts />
        </BaseToast.Viewport>
      </BaseToast.Portal>
    </BaseToast.Provider>
  );
}

/** A button of a short message, such as one that undoes what the message tells. */
export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

type ShowToast = (title: string, kind?: 'done' | 'failed', action?: ToastAction) => void;

// Time enough to read it, to think, and to reach the button by keys.
const ACTION_MS = 15_000;

/** Returns what shows a short message: that something is done, or why not, and what can be done about it. */
export function useToast(): ShowToast {
  const { add, close } = BaseToast.useToastManager();
  return (title, kind = 'done', action) => {
    const id = add({
      title,
      type: kind,
      priority: kind === 'failed' ? 'high' : 'low',
      ...(action !== undefined && {
        timeout: ACTION_MS,
        actionProps: {
          children: action.label,
          onClick: () => {
            close(id);
            action.run();
          },
        },
      }),
    });
  };
}

function Toasts() {
  const text = useText();
  const { toasts } = BaseToast.useToastManager();
  return toasts.map((toast) => (
    <BaseToast.Root key={toast.id} toast={toast} className={classes.toast ?? ''}>
      <BaseToast.Title className={classes.title ?? ''} />
      <BaseToast.Action className={`${buttonClass()} ${classes.action}`} />
      <BaseToast.Close className={buttonClass('quiet')} aria-label={text.common.close}>
        <X aria-hidden />
      </BaseToast.Close>
    </BaseToast.Root>
  ));
}
