import { type ReactNode, useMemo, useRef, useState } from 'react';
import { meetsClockChange } from '../../../domain/schedules/cron.ts';
import { nextSlots, timingIssue } from '../../../domain/schedules/timing.ts';
import { TIME_LOCALE, timeZone, timeZoneChoices } from '../../core/text/formats.ts';
import { ChoiceField } from '../controls/choice.tsx';
import { Field } from '../fields/text-fields.tsx';
import { NumberField, SelectField } from '../fields/fields.tsx';
import type { RecordField } from '../form/use-record.ts';
import { type Column, Table } from '../page/page.tsx';
import { useCronText } from '../text.ts';

/** Times that recur: an expression, read on the clock of a zone. */
export interface CronValue {
  readonly expression: string;
  readonly zone: string;
}

/** Between which times something recurs; null for no bound. */
interface CronBounds {
  readonly startAt: Date | null;
  readonly endAt: Date | null;
}

const UNBOUNDED: CronBounds = { startAt: null, endAt: null };

interface RecurrenceFieldsProps {
  readonly cron: RecordField<string | null>;
  readonly interval: RecordField<number | null>;
  readonly zone: RecordField<string>;
  readonly bounds?: CronBounds;
}

/** The expression that a calendar begins with. */
export const FIRST_CRON = '0 9 * * 1-5';
const FIRST_MINUTES = 60;

/** When a record recurs: at the times of an expression, or at an interval. */
export function RecurrenceFields({ cron, interval, zone, bounds = UNBOUNDED }: RecurrenceFieldsProps): ReactNode {
  const text = useCronText();
  // The next times are those from when the form was opened on: they are not to move while one reads them.
  const [now] = useState(() => Date.now());
  // Whoever looks at the other kind and comes back finds what was there.
  const last = useRef({ expression: FIRST_CRON, minutes: FIRST_MINUTES });
  return (
    <>
      <SelectField
        label={text.recurs}
        name="recurs"
        value={interval.value === null ? 'cron' : 'interval'}
        options={(['cron', 'interval'] as const).map((kind) => ({ value: kind, label: text.recursChoices[kind] }))}
        onValueChange={(kind) => {
          last.current = {
            expression: cron.value ?? last.current.expression,
            minutes: interval.value ?? last.current.minutes,
          };
          cron.onValueChange(kind === 'cron' ? last.current.expression : null);
          interval.onValueChange(kind === 'cron' ? null : last.current.minutes);
        }}
      />
      {interval.value === null ? (
        <CronField
          value={{ expression: cron.value ?? '', zone: zone.value }}
          now={now}
          bounds={bounds}
          onValueChange={(value) => {
            cron.onValueChange(value.expression);
            zone.onValueChange(value.zone);
          }}
        />
      ) : (
        <NumberField
          label={text.interval}
          unit={text.minutes}
          min={1}
          {...interval}
          onValueChange={(minutes) => interval.onValueChange(minutes ?? 1)}
        />
      )}
    </>
  );
}

interface CronFieldProps {
  readonly value: CronValue;
  readonly onValueChange: (value: CronValue) => void;
  /** The time after which the next times are shown, in milliseconds since 1970. */
  readonly now: number;
  /** Between which times it recurs; without bounds unless given. */
  readonly bounds?: CronBounds;
}

const OWN = 'own';
const SHOWN = 5;

/** Times that recur, by one of a few presets or an expression, with what is wrong with it or the next five of them. */
export function CronField(props: CronFieldProps): ReactNode {
  const { value, onValueChange, now, bounds = UNBOUNDED } = props;
  const text = useCronText();
  const zones = useMemo(() => timeZoneChoices(value.zone), [value.zone]);
  const [issue, times] = useMemo(() => readTimes(value, now, bounds), [value, now, bounds]);
  const isMoved = useMemo(() => meetsClockChange(value.expression, value.zone, now), [value, now]);
  const fault = issue && <output className="danger small">{issue.message}</output>;
  const [isWrong, isZoneWrong] = [issue?.field === 'cron_expr', issue?.field === 'timezone'];
  return (
    <div className="stack gap-3">
      <PresetFields value={value} onValueChange={onValueChange} />
      <Field
        label={text.expression}
        name="cron_expr"
        hint={isWrong ? fault : text.hint}
        aria-invalid={isWrong || undefined}
        spellCheck={false}
        autoComplete="off"
        value={value.expression}
        onValueChange={(expression) => onValueChange({ ...value, expression })}
      />
      <ChoiceField
        label={text.zone}
        name="timezone"
        hint={isZoneWrong ? fault : isMoved && text.clockChange}
        choices={zones}
        value={value.zone}
        onValueChange={(zone) => onValueChange({ ...value, zone: zone ?? 'UTC' })}
      />
      {issue === undefined && times.length === 0 && <p className="soft">{text.none}</p>}
      {times.length > 0 && <TimesTable times={times} zone={value.zone} />}
    </div>
  );
}

/** The days on which it recurs, and the time of day, for those who write no expression. */
function PresetFields({ value, onValueChange }: Pick<CronFieldProps, 'value' | 'onValueChange'>): ReactNode {
  const text = useCronText();
  const preset = presetOf(value.expression, text.presets);
  const [isOwn, setIsOwn] = useState(preset === undefined);
  const set = (expression: string) => onValueChange({ ...value, expression });
  const shown = isOwn ? undefined : preset;
  return (
    <>
      <SelectField
        label={text.preset}
        name="cron_expr-preset"
        options={[
          ...Object.entries(text.presets).map(([days, words]) => ({ value: days, label: words })),
          { value: OWN, label: text.own },
        ]}
        value={shown?.days ?? OWN}
        onValueChange={(chosen) => {
          setIsOwn(chosen === OWN);
          if (chosen !== OWN) set(expressionOf(chosen, preset?.time || FIRST));
        }}
      />
      {shown !== undefined && shown.time !== '' && (
        <Field
          label={text.at}
          name="cron_expr-time"
          type="time"
          required
          value={shown.time}
          onValueChange={(time) => time !== '' && set(expressionOf(shown.days, time))}
        />
      )}
    </>
  );
}

interface TimesTableProps {
  readonly times: readonly Date[];
  /** The zone on whose clock they are, which stands first. */
  readonly zone: string;
  /** Columns after those of both clocks. */
  readonly more?: readonly Column<Date>[];
}

/** Times to come, on the clock of their zone and on that of the browser where it is another one. */
export function TimesTable({ times, zone, more }: TimesTableProps): ReactNode {
  const [text, own] = [useCronText(), timeZone()];
  const columns = useMemo((): readonly Column<Date>[] => {
    const columnOf = (key: string, title: string, timeZone: string): Column<Date> => {
      const format = new Intl.DateTimeFormat(TIME_LOCALE, { dateStyle: 'medium', timeStyle: 'short', timeZone });
      return { key, title, cell: (time) => format.format(time) };
    };
    const inZone = columnOf('zone', text.inZone(zone), zone);
    return zone === own ? [inZone] : [inZone, columnOf('own', text.here, own)];
  }, [zone, own, text]);
  const all = more === undefined ? columns : [...columns, ...more];
  return <Table label={text.next} columns={all} rows={times} keyOf={(time) => time.toISOString()} />;
}

/** The time of day of a preset that has just been chosen. */
const FIRST = '09:00';
const EVERY_HOUR = '* * * *';

/** Returns what an expression stands for among presets: its days, and its time of day, which every hour has none of. */
function presetOf(expression: string, presets: object): { readonly days: string; readonly time: string } | undefined {
  if (expression === `0 ${EVERY_HOUR}`) return { days: EVERY_HOUR, time: '' };
  const [, minute = '', hour = '', dates = '', week = ''] =
    /^([0-5]?\d) ([01]?\d|2[0-3]) (\S+ \S+) (\S+)$/.exec(expression) ?? [];
  const days = `${dates} ${DAYS_BY_NAME.get(week.toLowerCase()) ?? week}`;
  if (!Object.hasOwn(presets, days)) return undefined;
  return { days, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

/** How the days of presets are written by their names. */
const DAYS_BY_NAME: ReadonlyMap<string, string> = new Map([
  ['mon', '1'],
  ['mon-fri', '1-5'],
]);

/** Returns a function that says when an expression recurs: "Every Monday at 09:00". Others stay as they are. */
export function useCronWords(): (expression: string) => string {
  const { presets, atTime } = useCronText();
  return (expression) => {
    const preset = presetOf(expression, presets);
    if (preset === undefined) return expression;
    const words = presets[preset.days as keyof typeof presets];
    return preset.time === '' ? words : atTime(words, preset.time);
  };
}

function expressionOf(days: string, time: string): string {
  const [hour, minute] = time.split(':').map(Number);
  return days === EVERY_HOUR ? `0 ${EVERY_HOUR}` : `${minute} ${hour} ${days}`;
}

/** Reads the value by the rules of the server: what is wrong with it, or the next times. */
function readTimes({ expression, zone }: CronValue, now: number, bounds: CronBounds) {
  const timing = { cronExpr: expression, intervalMinutes: null, timezone: zone };
  // Bounds that contradict each other are said at their own fields: no time is left between them.
  const issue = timingIssue({ ...timing, ...UNBOUNDED });
  const after = new Date(now);
  return [issue, nextSlots({ ...timing, ...bounds, createdAt: after }, after, SHOWN)] as const;
}
