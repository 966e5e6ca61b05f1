import { Toast as BaseToast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import { buttonClass } from '../controls/button.tsx';
import type { ToastAction, ToastMessage } from './toast.tsx';
import classes from './overlays.module.css';

// Time enough to read it, to think, and to reach the button by keys.
const ACTION_MS = 15_000;

interface ToastListProps {
  /** The last messages; each is shown once, for a few seconds. */
  readonly messages: readonly ToastMessage[];
}

/** The messages that are over the page now. */
export function ToastList({ messages }: ToastListProps) {
  return (
    <BaseToast.Provider>
      <BaseToast.Portal>
        <BaseToast.Viewport className={classes.viewport ?? ''}>
          <Toasts messages={messages} />
        </BaseToast.Viewport>
      </BaseToast.Portal>
    </BaseToast.Provider>
  );
}

function Toasts({ messages }: ToastListProps) {
  const text = useText();
  const { toasts, add, close } = BaseToast.useToastManager();
  const lastKey = useRef(0);
  useEffect(() => {
    for (const { key, title, kind, action } of messages.filter((message) => message.key > lastKey.current)) {
      lastKey.current = key;
      const id = add({
        title,
        type: kind,
        priority: kind === 'failed' ? 'high' : 'low',
        ...(action !== undefined && { timeout: ACTION_MS, actionProps: propsOf(action, () => close(id)) }),
      });
    }
  }, [messages, add, close]);
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

function propsOf({ label, run }: ToastAction, close: () => void) {
  return {
    children: label,
    onClick: () => {
      close();
      run();
    },
  };
}
