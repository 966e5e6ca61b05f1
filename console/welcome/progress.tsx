import { useWelcomeText } from './text.ts';
import classes from './welcome-page.module.css';

interface ProgressProps {
  /** The step that is shown, from 1. */
  readonly at: number;
  readonly of: number;
}

/** Says which of a few steps this is. */
export function Progress({ at, of }: ProgressProps) {
  const text = useWelcomeText();
  return (
    <p className={classes.progress}>
      <span className={classes.bars} aria-hidden>
        {Array.from({ length: of }, (_, index) => (
          <span key={index} data-done={index < at || undefined} />
        ))}
      </span>
      {text.step(at, of)}
    </p>
  );
}
