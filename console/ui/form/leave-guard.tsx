import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../core/session/session-context.tsx';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import classes from '../controls/form.module.css';
import { useFormText } from './text.ts';

interface LeaveGuardProps {
  /** Returns whether something would be left unsaved. */
  readonly isUnsaved: () => boolean;
  /** Says what is kept. */
  readonly why: string;
  readonly onDiscard: () => void;
}

/** Asks before a page with unsaved changes is left. Its own tabs are parts of it; who has signed out is not held. */
export function LeaveGuard({ isUnsaved, why, onDiscard }: LeaveGuardProps): ReactNode {
  const [text, session] = [useFormText(), useSession()];
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved() && session.state !== 'none' && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <Dialog open={status === 'blocked'} onClose={() => reset?.()} title={text.leaveTitle} description={why}>
      <div className={classes.actions}>
        <Button look="primary" onClick={() => reset?.()}>
          {text.stay}
        </Button>
        <Button onClick={() => proceed?.()}>{text.leave}</Button>
        <Button
          look="danger"
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
