import { type ReactNode, useMemo, useState } from 'react';
import { meetsClockChange, nextSlots, timingIssue } from '../../../domain/schedules/index.ts';
import { TIME_LOCALE, timeZone } from '../../core/text/times.ts';
import base from '../base.module.css';
import { ChoiceField } from '../controls/choice.tsx';
import { Field } from '../fields/text-fields.tsx';
import { SelectField } from '../fields/select-field.tsx';
import { type Column, Table } from '../page/table.tsx';
import classes from './cron-field.module.css';
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

interface CronFieldProps {
  readonly label: string;
  /** The names of both values in what the server is sent, and in what it says about them. */
  readonly names: { readonly expression: string; readonly zone: string };
  readonly value: CronValue;
  readonly onValueChange: (value: CronValue) => void;
  /** The time after which the next times are shown, in milliseconds since 1970. */
  readonly now: number;
  /** Between which times it recurs; without bounds unless given. */
  readonly bounds?: CronBounds;
}

const OWN = 'own';
const UNBOUNDED: CronBounds = { startAt: null, endAt: null };
const SHOWN = 5;

/** Times that recur, by one of a few presets or an expression, with what is wrong with it or the next five of them. */
export function CronField(props: CronFieldProps): ReactNode {
  const { label, names, value, onValueChange, now, bounds = UNBOUNDED } = props;
  const text = useCronText();
  const presets = Object.entries(text.presets).map(([expression, words]) => ({ value: expression, label: words }));
  const isPreset = Object.hasOwn(text.presets, value.expression);
  const [isOwn, setIsOwn] = useState(!isPreset);
  const zones = useMemo(() => zonesWith(value.zone), [value.zone]);
  const [issue, times] = useMemo(() => readTimes(value, now, bounds), [value, now, bounds]);
  const isMoved = useMemo(() => meetsClockChange(value.expression, value.zone, now), [value, now]);
  const isZoneWrong = issue?.field === 'timezone';
  return (
    <div className={classes.cron}>
      <SelectField
        label={text.preset}
        name={`${names.expression}-preset`}
        options={[...presets, { value: OWN, label: text.own }]}
        value={isOwn || !isPreset ? OWN : value.expression}
        onValueChange={(chosen) => {
          setIsOwn(chosen === OWN);
          if (chosen !== OWN) onValueChange({ ...value, expression: chosen });
        }}
      />
      <Field
        label={label}
        name={names.expression}
        hint={text.hint}
        spellCheck={false}
        autoComplete="off"
        value={value.expression}
        onValueChange={(expression) => onValueChange({ ...value, expression })}
      />
      <ChoiceField
        label={text.zone}
        name={names.zone}
        hint={isMoved && text.clockChange}
        choices={zones}
        value={value.zone}
        onValueChange={(zone) => onValueChange({ ...value, zone: zone ?? 'UTC' })}
      />
      <output className={classes.result}>
        {issue !== undefined && (
          <span className={classes.issue}>{isZoneWrong ? issue.message : `${label} ${issue.message}`}</span>
        )}
      </output>
      {issue === undefined && times.length === 0 && <p className={base.soft}>{text.none}</p>}
      {times.length > 0 && <TimesTable times={times} zone={value.zone} />}
    </div>
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

/** Reads the value by the rules of the server: what is wrong with it, or the next times. */
function readTimes({ expression, zone }: CronValue, now: number, bounds: CronBounds) {
  const timing = { cronExpr: expression, intervalMinutes: null, timezone: zone };
  // Bounds that contradict each other are said at their own fields: no time is left between them.
  const issue = timingIssue({ ...timing, ...UNBOUNDED });
  const after = new Date(now);
  return [issue, nextSlots({ ...timing, ...bounds, createdAt: after }, after, SHOWN)] as const;
}

function zonesWith(zone: string) {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), zone]);
  return [...names].map((name) => ({ value: name, label: name }));
}
