import { useNow } from '../../core/clock.ts';
import { formatDuration } from '../../core/text/numbers.ts';
import { timeFromNow } from '../../core/text/times.ts';
import classes from '../inbox-page.module.css';
import { useInboxText } from '../text.ts';

const SOON_SECONDS = 3_600;

/** How long a decision is still waited for: it counts down once that is less than an hour. */
export function TimeLeft({ until }: { readonly until: string }) {
  const [text, now] = [useInboxText(), useNow()];
  const seconds = (Date.parse(until) - now) / 1000;
  if (seconds <= 0) return <span className={classes.soon}>{text.timeUp}</span>;
  if (seconds < SOON_SECONDS)
    return <span className={classes.soon}>{text.timeLeft(formatDuration(Math.ceil(seconds)))}</span>;
  return (
    <time className={classes.time} dateTime={until}>
      {timeFromNow(until, now)}
    </time>
  );
}
