import type { ReactNode } from 'react';
import { useNow } from '../../core/clock.ts';
import { useText } from '../../core/text/text-context.tsx';
import classes from '../controls/form.module.css';

/** Counts down until a form is sent again by itself; nothing when it is not. */
export function SendAgain({ at }: { readonly at: number | undefined }): ReactNode {
  return at === undefined ? null : <Countdown at={at} />;
}

function Countdown({ at }: { readonly at: number }): ReactNode {
  const text = useText().problem;
  const seconds = Math.max(0, Math.ceil((at - useNow()) / 1_000));
  return <p className={classes.again}>{text.sentAgain(seconds)}</p>;
}
