import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { SteppedSchedules } from '../support/stepped-schedules.ts';

const MINUTE_MS = 60_000;

describe('a schedule', () => {
  let clocks: SteppedSchedules;
  beforeAll(async () => {
    clocks = await SteppedSchedules.open();
  });
  afterAll(async () => clocks.close());

  test('has a report written each Monday for three years, over two deployments and two crashes', async () => {
    const [from, end] = [new Date('2027-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z')];
    const weekly = await clocks.add('0 9 * * mon', 'Europe/Berlin', from);
    let weeks = 0;
    for (let now = await clocks.nextDue(end); now !== undefined; now = await clocks.nextDue(end)) {
      weeks += 1;
      if ([40, 60, 100, 120].includes(weeks)) await clocks.replaceWorker();
      // After two crashes the next worker comes late.
      const isLate = weeks === 60 || weeks === 100;
      await clocks.work(isLate ? new Date(now.getTime() + 5 * MINUTE_MS) : now);
    }
    const { slots, ...counted } = await clocks.count(weekly, end);
    expect(counted).toEqual({ runs: 157, doubles: 0, gaps: 0 });
    const shown = slots.map((slot) => DateTime.fromMillis(slot, { zone: 'Europe/Berlin' }).toFormat('ccc HH:mm'));
    expect(new Set(shown)).toEqual(new Set(['Mon 09:00']));
  });
});
