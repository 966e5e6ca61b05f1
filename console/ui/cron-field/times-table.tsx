import { type ReactNode, useMemo } from 'react';
import { TIME_LOCALE, timeZone } from '../../core/text/times.ts';
import { type Column, Table } from '../page/table.tsx';
import { useCronText } from './text.ts';

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
