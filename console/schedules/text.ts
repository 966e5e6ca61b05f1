import { count } from '../core/text/numbers.ts';
import { ownText } from '../core/text/text-context.tsx';
import { TIME_LOCALE } from '../core/text/times.ts';

const SHOWN_NAMES = 5;
const dayFormat = new Intl.DateTimeFormat(TIME_LOCALE, { weekday: 'short', day: 'numeric', month: 'short' });

function listOf(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  return [...names.slice(0, SHOWN_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Returns what the pages of schedules say, in the language of the page. */
export const useSchedulesText = ownText({
  en: {
    title: 'Schedules',
    empty: 'No schedules yet',
    emptyWhy: 'A schedule gives an agent a prompt at set times: a report each Monday, a look at the inbox each hour.',
    add: 'Add a schedule',
    added: (name: string) => `${name} was added`,
    saved: 'Saved',
    filter: 'Filter by name',
    none: 'No schedule has this in its name or prompt.',
    name: 'Name',
    nextRun: 'Next run',
    lastRun: 'Last run',
    state: 'State',
    active: 'active',
    paused: 'paused',
    off: 'off',
    never: 'never',
    noNext: 'none',
    noAgent: 'no agent',
    overview: 'Overview',
    runs: 'Runs',
    outside: 'Messages',
    settings: 'Settings',
    parts: 'Parts of the schedule',
    trigger: 'Run now',
    triggered: 'A run was started',
    activate: 'Activate',
    deactivate: 'Deactivate',
    activated: 'It is active, in your name',
    deactivated: 'It starts no runs any more',
    copied: (name: string) => `${name} was added, and is not active yet`,
    backfill: 'Make up past times',
    remove: 'Delete',
    removeTitle: (name: string) => `Delete ${name}?`,
    removeWhy: 'Its runs are deleted with it and do not come back. Their conversations stay.',
    removed: (name: string) => `${name} was deleted`,
    when: 'When',
    everyMinutes: (n: number) => `every ${count(n, 'minute', 'minutes')}`,
    inZone: (cron: string, zone: string) => `${cron} (${zone})`,
    agent: 'Agent',
    overlap: 'While a run is open',
    nextTimes: 'The next times',
    nextTimesOff: 'The times that it would have',
    noTimes: 'No time is left.',
    fromNow: 'From now',
    week: 'Last days and next days',
    weekWhy: 'Its runs, and the times to come as long as a run usually takes. On your clock.',
    weekOff: 'It is off: the times to come are those that it would have. On your clock.',
    comingWeek: 'The coming week of all schedules',
    comingWeekWhy: 'Those that are active, on your clock.',
    day: (day: Date) => dayFormat.format(day),
    spanKinds: {
      good: 'completed',
      bad: 'failed',
      open: 'running',
      coming: 'to come',
      meeting: 'meets the one before',
    },
    comingKinds: { coming: 'one begins', meeting: 'several begin at once' },
    meetings: (n: number, usual: string, overlap: string) =>
      `A run usually takes ${usual}: ${count(n, 'time', 'times')} to come will find the run before still at work. What is done then: ${overlap.toLowerCase()}.`,
    lastRunsOnly: (n: number) => `Of the past only the last ${n} runs are shown.`,
    nextTimesOnly: (n: number) => `Of what is to come only the next ${n} times are shown.`,
    busiest: (time: string, names: readonly string[]) =>
      `The most at once: ${names.length} on ${time} (${listOf(names)}).`,
    frequent: (names: readonly string[]) => `These run too often to be shown here: ${listOf(names)}.`,
    noRuns: 'It has not run yet. Run now starts it once, whatever its times are.',
    what: 'What it does',
    times: 'When it does it',
    rest: 'What else',
    description: 'Description',
    prompt: 'Prompt',
    promptHint: 'The agent is sent this as it is.',
    agentHint: 'Without an agent the schedule is not active.',
    agentPlaceholder: 'Find an agent',
    kind: 'Recurs',
    kinds: { cron: 'by the calendar', interval: 'at an interval' },
    startAt: 'Not before',
    startHint: (zone: string) => `On your clock, ${zone}. Empty for at once.`,
    endAt: 'Not after',
    endHint: 'Empty for no end.',
    cron: 'Expression',
    interval: 'Every',
    minutes: 'minutes',
    seconds: 'seconds',
    days: 'days',
    overlaps: {
      skip: 'Start none',
      buffer_one: 'Start one after it',
      allow_all: 'Start another beside it',
      cancel_other: 'Stop it and start another',
    },
    catchup: 'Make up missed times',
    catchupHint: 'Times that nobody could act on are made up while they are no older than this.',
    jitter: 'Begin up to this late',
    jitterHint: 'Spreads what is written for the same time.',
    pauseOnFailure: 'Deactivate it when a run fails',
    maxRuns: 'End after this many runs',
    maxRunsHint: 'Empty for no end.',
    keepDays: 'Keep runs for',
    from: 'From',
    to: 'To',
    backfillWhy: 'Starts a run for each time of the past that has none, in your name.',
    slots: (n: number, most: number) =>
      n > most ? `More than ${most} times: choose a shorter while.` : `${count(n, 'time', 'times')} in it.`,
    slotsHint: 'Those that had a run before are left out.',
    backfilled: (created: number, skipped: number) =>
      `${count(created, 'run', 'runs')} started, ${skipped} had run before`,
    wrongSpan: 'The end has to come after the beginning.',
  },
});

/** What the pages of schedules say. */
export type SchedulesText = ReturnType<typeof useSchedulesText>;
