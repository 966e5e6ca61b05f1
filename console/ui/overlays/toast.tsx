import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from 'react';

/** A short message over the page. */
export interface ToastMessage {
  readonly key: number;
  readonly title: string;
  readonly kind: 'done' | 'failed';
  readonly action: ToastAction | undefined;
}

/** A button of a short message, such as one that undoes what the message tells. */
export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

/** How many of the last messages are kept until the list has taken them. */
const MOST = 20;

type ShowToast = (title: string, kind?: ToastMessage['kind'], action?: ToastAction) => void;

const ToastContext = createContext<ShowToast | undefined>(undefined);
const ToastList = lazy(async () => ({ default: (await import('./toast-list.tsx')).ToastList }));

/** Shows short messages over the page, and reads them out. What shows them is loaded with the first one. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [messages, setMessages] = useState<readonly ToastMessage[]>([]);
  const show = useCallback<ShowToast>(
    (title, kind = 'done', action) =>
      setMessages((before) => [...before, { key: (before.at(-1)?.key ?? 0) + 1, title, kind, action }].slice(-MOST)),
    [],
  );
  return (
    <ToastContext value={show}>
      {children}
      {messages.length > 0 && (
        <Suspense>
          <ToastList messages={messages} />
        </Suspense>
      )}
    </ToastContext>
  );
}

/** Returns what shows a short message: that something is done, or why not, and what can be done about it. */
export function useToast(): ShowToast {
  const show = useContext(ToastContext);
  if (show === undefined) throw new Error('useToast needs a ToastProvider around it');
  return show;
}
