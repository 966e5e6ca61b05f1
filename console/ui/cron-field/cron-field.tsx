import { type ReactNode, useMemo, useState } from 'react';
import { nextSlots, timingIssue } from '../../../domain/schedules/index.ts';
import { TIME_LOCALE } from '../../core/text/times.ts';
import { ChoiceField } from '../controls/choice.tsx';
import { Field } from '../controls/field.tsx';
import { SelectField } from '../fields/select-field.tsx';
import { type Column, Table } from '../page/table.tsx';
import classes from './cron-field.module.css';
import { useCronText } from './text.ts';

/** Times that recur: an expression, read on the clock of a zone. */
export interface CronValue {
  readonly expression: string;
  readonly zone: string;
}

interface CronFieldProps {
  readonly label: string;
  /** The names of both values in what the server is sent, and in what it says about them. */
  readonly names: { readonly expression: string; readonly zone: string };
  readonly value: CronValue;
  readonly onValueChange: (value: CronValue) => void;
  /** The time after which the next times are shown, in milliseconds since 1970. */
  readonly now: number;
}

const OWN = 'own';
const SHOWN = 5;

/** Times that recur, by one of a few presets or an expression, with what is wrong with it or the next five of them. */
export function CronField({ label, names, value, onValueChange, now }: CronFieldProps): ReactNode {
  const text = useCronText();
  const presets = Object.entries(text.presets).map(([expression, words]) => ({ value: expression, label: words }));
  const isPreset = Object.hasOwn(text.presets, value.expression);
  const [isOwn, setIsOwn] = useState(!isPreset);
  const zones = useMemo(() => zonesWith(value.zone), [value.zone]);
  const [issue, times] = useMemo(() => readTimes(value, now), [value, now]);
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
        choices={zones}
        value={value.zone}
        onValueChange={(zone) => onValueChange({ ...value, zone: zone ?? 'UTC' })}
      />
      <output className={classes.result}>
        {issue !== undefined && (
          <span className={classes.issue}>{isZoneWrong ? issue.message : `${label} ${issue.message}`}</span>
        )}
      </output>
      {issue === undefined && <NextTimes times={times} zone={value.zone} />}
    </div>
  );
}

function NextTimes({ times, zone }: { readonly times: readonly Date[]; readonly zone: string }): ReactNode {
  const text = useCronText();
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const columns = useMemo((): readonly Column<Date>[] => {
    const columnOf = (key: string, title: string, timeZone: string): Column<Date> => {
      const format = new Intl.DateTimeFormat(TIME_LOCALE, { dateStyle: 'medium', timeStyle: 'short', timeZone });
      return { key, title, cell: (time) => format.format(time) };
    };
    const inZone = columnOf('zone', text.inZone(zone), zone);
    return zone === own ? [inZone] : [inZone, columnOf('own', text.here, own)];
  }, [zone, own, text]);
  return <Table label={text.next} columns={columns} rows={times} keyOf={(time) => time.toISOString()} />;
}

/** Reads the value by the rules of the server: what is wrong with it, or the next times. */
function readTimes({ expression, zone }: CronValue, now: number) {
  const timing = { cronExpr: expression, intervalMinutes: null, timezone: zone, startAt: null, endAt: null };
  const issue = timingIssue(timing);
  const after = new Date(now);
  return [issue, issue === undefined ? nextSlots({ ...timing, createdAt: after }, after, SHOWN) : []] as const;
}

function zonesWith(zone: string) {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), zone]);
  return [...names].map((name) => ({ value: name, label: name }));
}
