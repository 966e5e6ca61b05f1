import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Upload } from '../../ui/files/uploads.ts';
import { forgetDue, readDue } from './unsent.ts';

interface DueOptions {
  readonly chatId: string;
  readonly draft: string;
  readonly setDraft: (draft: string) => void;
  readonly files: readonly Upload[];
  /** Whether it can be sent: the outbox and the files are known. */
  readonly isOpen: boolean;
  readonly send: () => void;
}

/** Sends the message that a chat was begun with once its files are uploaded, unless its user changes it before. */
export function useDueMessage({ chatId, draft, setDraft, files, isOpen, send }: DueOptions): void {
  const cache = useQueryClient();
  const [due, setDue] = useState(() => readDue(cache, chatId));
  const newest = useRef({ send, setDraft });
  const isRestored = useRef(false);
  useEffect(() => {
    newest.current = { send, setDraft };
  });
  const isUnchanged = draft === due && files.length > 0;
  const isReady = isUnchanged && files.every(({ state }) => state === 'ready');
  useEffect(() => {
    if (due === undefined || !isOpen || (isUnchanged && !isReady)) return;
    // A browser that keeps nothing has no draft of it.
    if (draft === '' && !isRestored.current) {
      isRestored.current = true;
      newest.current.setDraft(due);
      return;
    }
    forgetDue(cache, chatId);
    // oxlint-disable-next-line react/set-state-in-effect -- it is sent once, whatever is typed after it
    setDue(undefined);
    if (isReady) newest.current.send();
  }, [cache, chatId, due, draft, isOpen, isUnchanged, isReady]);
}
