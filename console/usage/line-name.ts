import { TIME_LOCALE } from '../core/text/times.ts';
import { showInvisible } from '../ui/visible.ts';
import type { Grouping } from './choices.ts';
import type { UsageLine } from './queries.ts';
import type { UsageText } from './text.ts';

const days = new Intl.DateTimeFormat(TIME_LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Returns what a line of a report is about, in words. */
export function lineName({ key, name }: Pick<UsageLine, 'key' | 'name'>, by: Grouping, text: UsageText): string {
  if (by === 'day') return days.format(new Date(`${(key ?? '').slice(0, 10)}T00:00:00Z`));
  if (by === 'model') return showInvisible(name ?? key ?? text.gone.model);
  return name === null ? text.gone[by] : showInvisible(name);
}
