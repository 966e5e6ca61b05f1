import { slotsBetween } from '../../domain/schedules/timing.ts';
import { type ListedRun, isOpen } from '../runs/index.ts';
import type { StripDay } from '../ui/charts/day-strip.tsx';
import type { Schedule } from './queries.ts';
import { timingOf } from './week.ts';

/** What an entry stands for: runs that ended well, that failed, that are at work, that come, or that never began. */
export const ENTRY_KINDS = ['bad', 'missed', 'open', 'coming', 'good'] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

/** What one schedule does on one day: `count` times, the first of them at a time in milliseconds since 1970. */
export interface CalendarEntry {
  readonly scheduleId: string;
  readonly name: string;
  readonly kind: EntryKind;
  readonly at: number;
  readonly count: number;
}

export interface CalendarDay extends StripDay {
  /** In the order of time. */
  readonly entries: readonly CalendarEntry[];
}

interface Crowd {
  readonly at: number;
  readonly names: readonly string[];
}

export interface Calendar {
  readonly days: readonly CalendarDay[];
  /** The coming minute in which the most schedules fire, if that is more than one. */
  readonly busiest: Crowd | undefined;
  /** The names of those that fire too often to be counted. */
  readonly frequent: readonly string[];
}

interface CalendarOptions {
  readonly days: readonly StripDay[];
  readonly schedules: readonly Schedule[];
  /** The runs that times of schedules have started since the first day. */
  readonly runs: readonly ListedRun[];
  /** Whether there are older runs than these. */
  readonly hasMore: boolean;
  readonly now: number;
}

interface Event {
  readonly schedule: Pick<Schedule, 'id' | 'name'>;
  readonly kind: EntryKind;
  readonly at: number;
}

/** So many times of one schedule are looked at: every hour of a month is less. */
const MOST_TIMES = 1_000;
const MINUTE_MS = 60_000;

/** A run is stored some time after its slot; a slot is not missed before. */
const GRACE_MS = 5 * MINUTE_MS;

/** Returns what schedules have done and will do on some days. */
export function calendarOf(options: CalendarOptions): Calendar {
  const { days, schedules, runs } = options;
  const fired = schedules
    .filter(({ is_active: isActive }) => isActive)
    .map((schedule) => ({ schedule, slots: slotsOf(schedule, options) }));
  const [frequent, shown] = [
    fired.filter(({ slots }) => slots.length > MOST_TIMES),
    fired.filter(({ slots }) => slots.length <= MOST_TIMES),
  ];
  const started = new Set(runs.map(({ schedule_id: id, slot }) => keyOf(id, slot === null ? null : Date.parse(slot))));
  const events = [
    ...runs.flatMap((run) => eventOf(run) ?? []),
    ...shown.flatMap(({ schedule, slots }) => slotEvents(schedule, slots, { started, now: options.now })),
  ];
  return {
    days: days.map((day) => ({ ...day, entries: entriesOf(events.filter(({ at }) => day.from <= at && at < day.to)) })),
    busiest: busiestOf(events.filter(({ kind }) => kind === 'coming')),
    frequent: frequent.map(({ schedule: { name } }) => name),
  };
}

/** Returns the slots of a schedule on the days: those that have passed as far as it is known what they have started. */
function slotsOf(schedule: Schedule, { days, runs, hasMore, now }: CalendarOptions): number[] {
  const [from, to] = [days[0]?.from ?? now, days.at(-1)?.to ?? now];
  const knownFrom = hasMore ? Math.min(now, ...runs.map(({ created_at: at }) => Date.parse(at))) : from;
  // A change of the times, or a pause, may be what left an older slot without a run.
  const first = Math.max(from, knownFrom, Date.parse(schedule.updated_at));
  if (first > to) return [];
  const span = { from: new Date(first), to: new Date(to), limit: MOST_TIMES };
  return slotsBetween(timingOf(schedule), span).map((slot) => slot.getTime());
}

function slotEvents(
  schedule: Schedule,
  slots: readonly number[],
  { started, now }: { readonly started: ReadonlySet<string>; readonly now: number },
): Event[] {
  const missedTo = now - GRACE_MS - schedule.jitter_seconds * 1_000;
  return slots.flatMap((at): Event[] => {
    if (at > now) return [{ schedule, kind: 'coming', at }];
    return at < missedTo && !started.has(keyOf(schedule.id, at)) ? [{ schedule, kind: 'missed', at }] : [];
  });
}

function keyOf(scheduleId: string | null, slot: number | null): string {
  return `${scheduleId} ${slot}`;
}

function eventOf(run: ListedRun): Event | undefined {
  const { schedule_id: id, name, status, started_at: began, created_at: created } = run;
  if (id === null) return undefined;
  const kind = isOpen(run) ? 'open' : status === 'completed' ? 'good' : 'bad';
  return { schedule: { id, name }, kind, at: Date.parse(began ?? created) };
}

/** Returns the entries of a day: one for each schedule and kind. */
function entriesOf(events: readonly Event[]): CalendarEntry[] {
  const groups = Map.groupBy(events, ({ schedule: { id }, kind }) => `${id} ${kind}`);
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const { schedule, kind } = first;
      const at = others.reduce((least, other) => Math.min(least, other.at), first.at);
      return [{ scheduleId: schedule.id, name: schedule.name, kind, at, count: others.length + 1 }];
    })
    .toSorted((one, other) => one.at - other.at);
}

function busiestOf(events: readonly Event[]): Crowd | undefined {
  const minutes = Map.groupBy(events, ({ at }) => Math.floor(at / MINUTE_MS) * MINUTE_MS);
  const crowds = [...minutes].map(([at, together]) => ({ at, names: together.map(({ schedule }) => schedule.name) }));
  const most = crowds.reduce<Crowd | undefined>(
    (best, crowd) => (crowd.names.length > (best?.names.length ?? 1) ? crowd : best),
    undefined,
  );
  return most;
}
