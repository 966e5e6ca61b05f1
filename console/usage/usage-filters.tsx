import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { GROUPINGS, MEASURES, SCOPES } from './choices.ts';
import { useUsageText } from './text.ts';
import classes from './usage.module.css';

const PERIODS = [7, 30, 90];

interface UsageFiltersProps {
  readonly from: string;
  readonly to: string | undefined;
  /** Whether the user may see what others have used. */
  readonly seesAll: boolean;
}

/** The time, the grouping and the measure of the report, all of them in the address. */
export function UsageFilters({ from, to, seesAll }: UsageFiltersProps) {
  const text = useUsageText();
  const [today] = useState(() => dayOf(Date.now()));
  const navigate = useNavigate({ from: '/o/$orgId/usage' });
  const { by = 'day', of: measure = 'tokens', scope = 'organization' } = useSearch({ from: '/o/$orgId/usage' });
  const set = (changes: Record<string, string | undefined>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...changes }), replace: true });
  return (
    <fieldset className={`wrap ${classes.filters}`} aria-label={text.filters}>
      <DayField label={text.from} name="from" day={from.slice(0, 10)} onDayChange={(day) => set({ from: day })} />
      <DayField label={text.to} name="to" day={(to ?? today).slice(0, 10)} onDayChange={(day) => set({ to: day })} />
      <div className={`wrap gap-1 ${classes.periods}`}>
        {PERIODS.map((days) => (
          <Button
            key={days}
            aria-pressed={to === undefined && from === firstDay(days)}
            onClick={() => set({ from: firstDay(days), to: undefined })}
          >
            {text.last(days)}
          </Button>
        ))}
      </div>
      <SelectField
        label={text.by}
        name="by"
        options={GROUPINGS.map((value) => ({ value, label: text.groupings[value] }))}
        value={by}
        onValueChange={(value) => set({ by: value })}
      />
      <SelectField
        label={text.of}
        name="of"
        options={MEASURES.map((value) => ({ value, label: text.measures[value] }))}
        value={measure}
        onValueChange={(value) => set({ of: value })}
      />
      {seesAll && (
        <SelectField
          label={text.scope}
          name="scope"
          options={SCOPES.toReversed().map((value) => ({ value, label: text.scopes[value] }))}
          value={scope}
          onValueChange={(value) => set({ scope: value })}
        />
      )}
    </fieldset>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly name: string;
  readonly day: string;
  readonly onDayChange: (day: string) => void;
}

/** A day, which counts at Enter or when the field is left: while it is typed it is the first of many other days. */
function DayField({ label, name, day, onDayChange }: DayFieldProps) {
  const [typed, setTyped] = useState<string>();
  const store = () => {
    setTyped(undefined);
    if (typed !== undefined && typed !== day) onDayChange(typed);
  };
  return (
    <Field
      label={label}
      name={name}
      type="date"
      value={typed ?? day}
      onValueChange={setTyped}
      onBlur={store}
      onKeyDown={({ key }) => key === 'Enter' && store()}
    />
  );
}

function withoutEmpty(search: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));
}

const DAY_MS = 86_400_000;

/** Returns the first day of a period of so many days that ends today, by UTC as the server counts. */
export function firstDay(days: number, now: number = Date.now()): string {
  return dayOf(now - (days - 1) * DAY_MS);
}

/** Returns the day of a time by UTC: "2026-11-25". */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns all days of a period, of which the last is not in it when it begins with the end. */
export function daysBetween(from: string, to: string): readonly string[] {
  const [first, end] = [Date.parse(`${from.slice(0, 10)}T00:00:00Z`), Date.parse(to)];
  const length = Math.max(0, Math.ceil((end - first) / DAY_MS));
  return Array.from({ length }, (_, at) => dayOf(first + at * DAY_MS));
}
