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

/** Returns what shows a short message: that something is done, or why not. */
export function useToast(): (title: string, kind?: 'done' | 'failed') => void {
  const { add } = BaseToast.useToastManager();
  return (title, kind = 'done') => void add({ title, type: kind, priority: kind === 'failed' ? 'high' : 'low' });
}

function Toasts() {
  const text = useText();
  const { toasts } = BaseToast.useToastManager();
  return toasts.map((toast) => (
    <BaseToast.Root key={toast.id} toast={toast} className={classes.toast ?? ''}>
      <BaseToast.Title className={classes.title ?? ''} />
      <BaseToast.Close className={buttonClass('quiet')} aria-label={text.common.close}>
        <X aria-hidden />
      </BaseToast.Close>
    </BaseToast.Root>
  ));
}
