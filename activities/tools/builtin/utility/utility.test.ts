import { describe, expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../../../test/support/cpu-time.ts';
import { createTestTools, prepareCall } from '../../../../test/support/tool-context.ts';
import { calculateTime } from '../../compute/calculate-time.ts';
import { evaluateMath } from '../../compute/evaluate-math.ts';
import type { ToolArguments } from '../../tool.ts';
import { mathEvaluate } from './math-evaluate.ts';
import { createTimeNow } from './time-now.ts';

const clock = () => Date.parse('2026-03-28T12:00:00Z');

async function time(args: ToolArguments): Promise<Record<string, unknown>> {
  const tools = await createTestTools();
  try {
    return (await prepareCall(createTimeNow(clock), args).run(tools.context)).value as Record<string, unknown>;
  } finally {
    await tools.close();
  }
}

describe('time_now', () => {
  test('returns the time in UTC, and in a zone', async () => {
    expect(await time({})).toEqual({
      time: '2026-03-28T12:00:00.000Z',
      zone: 'UTC',
      offset: '+00:00',
      weekday: 'Saturday',
      week: 13,
      unix: 1_774_699_200,
      is_daylight_saving: false,
    });
    expect(await time({ zone: 'Asia/Kolkata' })).toMatchObject({ time: '2026-03-28T17:30:00.000+05:30' });
  });

  test.each([
    // Clocks go from 2:00 to 3:00 in the night after.
    [{ zone: 'Europe/Berlin', add: '1 day' }, '2026-03-29T13:00:00.000+02:00'],
    [{ zone: 'Europe/Berlin', add: 'PT24H' }, '2026-03-29T14:00:00.000+02:00'],
    [{ zone: 'Europe/Berlin', at: '2026-03-29T02:30' }, '2026-03-29T03:30:00.000+02:00'],
    [{ at: '2026-01-31', add: '1 month' }, '2026-02-28T00:00:00.000Z'],
    [{ add: '1 day, 2 hours and 30 minutes' }, '2026-03-29T14:30:00.000Z'],
    [{ add: '-2 weeks 3 days' }, '2026-03-17T12:00:00.000Z'],
    [{ at: '2026-07-01T09:00', zone: 'America/New_York', to_zone: 'Asia/Tokyo' }, '2026-07-01T22:00:00.000+09:00'],
    [{ at: '2026-07-01T09:00+02:00' }, '2026-07-01T07:00:00.000Z'],
    [{ parse: 'tomorrow at 5pm', zone: 'Europe/Berlin' }, '2026-03-29T17:00:00.000+02:00'],
    [{ parse: 'in 2 hours' }, '2026-03-28T14:00:00.000Z'],
    [{ parse: 'last friday' }, '2026-03-27T12:00:00.000Z'],
    [{ parse: 'this morning' }, '2026-03-28T06:00:00.000Z'],
    [{ parse: 'last night' }, '2026-03-27T20:00:00.000Z'],
    [{ parse: 'last night at 11' }, '2026-03-27T23:00:00.000Z'],
    [{ parse: '11pm last night', at: '2026-03-28T02:00' }, '2026-03-27T23:00:00.000Z'],
    [{ parse: 'at 11 last night' }, '2026-03-27T23:00:00.000Z'],
    [{ parse: 'last night at 2' }, '2026-03-28T02:00:00.000Z'],
    [{ parse: '12:30 last night' }, '2026-03-28T00:30:00.000Z'],
    [{ parse: 'midnight tonight' }, '2026-03-29T00:00:00.000Z'],
    [{ parse: 'tonight at 1am' }, '2026-03-29T01:00:00.000Z'],
    [{ parse: 'tonight at 2am', at: '2026-03-28T01:00' }, '2026-03-28T02:00:00.000Z'],
    [{ parse: 'last evening' }, '2026-03-27T20:00:00.000Z'],
    [{ parse: 'this week' }, '2026-03-23T12:00:00.000Z'],
    [{ parse: 'previous friday' }, '2026-03-27T12:00:00.000Z'],
    [{ parse: 'this past monday at 9am' }, '2026-03-23T09:00:00.000Z'],
    [{ parse: 'monday last week' }, '2026-03-16T12:00:00.000Z'],
    [{ parse: 'last week friday' }, '2026-03-20T12:00:00.000Z'],
    [{ parse: 'mon last week' }, '2026-03-16T12:00:00.000Z'],
    [{ parse: 'next week, thurs. at 9am' }, '2026-04-02T09:00:00.000Z'],
    [{ parse: 'the morning of last friday' }, '2026-03-27T06:00:00.000Z'],
    [{ parse: 'on the evening of yesterday' }, '2026-03-27T20:00:00.000Z'],
    [{ parse: 'afternoon of april 5' }, '2026-04-05T15:00:00.000Z'],
    [{ parse: 'this hour' }, '2026-03-28T12:00:00.000Z'],
    [{ parse: 'this quarter' }, '2026-01-01T12:00:00.000Z'],
    [{ parse: 'this week friday' }, '2026-03-27T12:00:00.000Z'],
    [{ parse: 'Friday of this week at 5pm' }, '2026-03-27T17:00:00.000Z'],
    [{ parse: 'next week monday' }, '2026-03-30T12:00:00.000Z'],
    [{ parse: "next week's sunday" }, '2026-04-05T12:00:00.000Z'],
    [{ parse: 'next week on tuesday at 9am', zone: 'Europe/Berlin' }, '2026-03-31T09:00:00.000+02:00'],
    [{ parse: 'end of next week' }, '2026-04-05T12:00:00.000Z'],
    [{ parse: 'beginning of last week' }, '2026-03-16T12:00:00.000Z'],
    [{ parse: 'friday 4.12.2026' }, '2026-12-04T12:00:00.000Z'],
    [{ parse: 'the day before yesterday' }, '2026-03-26T12:00:00.000Z'],
    [{ parse: 'day before yesterday at 17:00' }, '2026-03-26T17:00:00.000Z'],
    [{ parse: 'the day after tomorrow' }, '2026-03-30T12:00:00.000Z'],
    [{ parse: 'friday' }, '2026-04-03T12:00:00.000Z'],
    [{ parse: 'on Friday, please' }, '2026-04-03T12:00:00.000Z'],
    [{ parse: 'around 5pm tomorrow' }, '2026-03-29T17:00:00.000Z'],
  ])('calculates %j', async (args, result) => {
    expect((await time(args))['time']).toBe(result);
  });

  test('lists the next runs of a cron line in the zone', async () => {
    const { next_runs: runs } = await time({ cron: '30 2 * * *', zone: 'Europe/Berlin', at: '2026-03-30' });
    expect(runs).toEqual(
      [30, 31, 1, 2, 3].map((day) => expect.stringContaining(`-${String(day).padStart(2, '0')}T02:30`)),
    );
  });

  test.each([
    [{ zone: 'Mars/Base' }, 'zone'],
    [{ to_zone: 'x' }, 'to_zone'],
    [{ at: 'noon' }, 'ISO 8601'],
    [{ add: 'a while' }, 'duration'],
    [{ add: '1 day or so' }, 'duration'],
    [{ add: `${'1d    '.repeat(16)}x` }, 'duration'],
    [{ add: '12345678901 days' }, 'duration'],
    [{ add: '999999999 years' }, 'not a time'],
    [{ parse: 'gibberish' }, 'no date'],
    [{ parse: 'two days before yesterday' }, 'such as 2026-11-30 09:00'],
    [{ parse: 'monday in two weeks' }, 'such as 2026-11-30 09:00'],
    [{ parse: 'three days before christmas' }, '"christmas" was not understood'],
    [{ parse: 'friday or saturday' }, '"or saturday" was not understood'],
    [{ parse: 'monday 24 march 2026' }, 'a weekday that its date, 2026-03-24, does not have'],
    [{ parse: 'friday 13 march' }, 'a weekday that its date, 2027-03-13, does not have'],
    [{ parse: '2026-13-01' }, 'a month that no year has'],
    [{ parse: 'from monday to friday' }, 'a span of time'],
    [{ cron: 'x' }, 'cron'],
    [{ cron: '* * *' }, 'cron'],
    [{ cron: '*/0 * * * *' }, 'cron'],
  ])('says what is wrong with %j', async (args, fault) => {
    await expect(time(args)).rejects.toThrow(fault);
  });

  test('lists the runs that a schedule would have when the clock is changed', async () => {
    const { next_runs: runs } = await time({ cron: '30 2 * * *', zone: 'Europe/Berlin', at: '2026-03-28T12:00' });
    expect(runs).toMatchObject({ 0: '2026-03-30T02:30:00.000+02:00', 1: '2026-03-31T02:30:00.000+02:00' });
  });

  test('says of a line that never comes that it does not, in time', () => {
    const calculate = () => calculateTime({ kind: 'time', now: clock(), given: { cron: '0 0 31 2 *' } });
    expect(cpuTimeOf(() => expect(calculate).toThrow('never fire'))).toBeLessThan(5_000);
  });
});

describe('math_evaluate', () => {
  test('calculates with variables and as many digits as are asked for', async () => {
    const tools = await createTestTools();
    const calculate = async (args: ToolArguments) => (await prepareCall(mathEvaluate, args).run(tools.context)).value;
    expect(await calculate({ expression: 'a * mean(b)', variables: { a: 2, b: [1, 2, 3] } })).toBe('4');
    expect(await calculate({ expression: '1/3', precision: 30 })).toBe('0.333333333333333333333333333333');
    expect(await calculate({ expression: '999999999999999' })).toBe('999999999999999');
    expect(await calculate({ expression: '[10^15, 0.5]' })).toBe('[1000000000000000, 0.5]');
    expect(await calculate({ expression: '{ id: 2^60 + 1 }' })).toBe('{"id": 1152921504606846977}');
    expect(await calculate({ expression: '2^300' })).toMatch(/^20370359763344860862684456884093\d{57}76$/);
    expect(await calculate({ expression: '12345678901234567890 % 1000' })).toBe('890');
    expect(await calculate({ expression: 'bignumber("999999999999999999999")' })).toBe('999999999999999999999');
    expect(await calculate({ expression: '123456789 * 987654321 * 1000' })).toBe('121932631112635269000');
    expect(await calculate({ expression: '2^100' })).toBe('1267650600228229401496703205376');
    expect(await calculate({ expression: '1e15', precision: 14 })).toBe('1e+15');
    expect(await calculate({ expression: 'std([1e20, 3e20])' })).toBe('1.4142135623731e+20');
    expect(await calculate({ expression: '1/3', precision: 3 })).toBe('0.333');
    await tools.close();
  });

  test.each([
    ['2^60 - (2^60 + 1) + 2', '1'],
    ['factorial(25) % 1009', '696'],
    ['[10^20 + 7] .^ 2 * 0 + mod(10^20 + 7, 10)', '[7]'],
    ['round((123456789.123456789 % 1) * 10^9)', '123456789'],
    ['(10^200 + 3) % 10', '3'],
    ['f(x) = 10^x + 3; f(30) % 10', '3'],
    ['bignumber(3)^200 mod 1000007', '959082'],
    ['1 << 40', '1099511627776'],
    ['bitXor(2^40, 1)', '1099511627777'],
    ['5000000000 >> 1', '2500000000'],
    ['3 GiB to byte', '3221225472 byte'],
    ['12345678912345678 km to m', '12345678912345678000 m'],
    ['123456789 + 10^15 * i', '123456789 + 1000000000000000i'],
    ['(1 + 1e-20) - 1', '1e-20'],
    ['1 / factorial(170) / factorial(170)', '1.8986110770415e-614'],
    ['round((10^15 + 0.3 - 10^15) * 1000)', '300'],
    ['round(1e5 * (1e11 + 0.1 - 1e11))', '10000'],
    ['round(e^36)', '4311231547115195'],
    ['12345678901234567890 == 12345678901234567891', 'false'],
  ])('%s is %s: what is in between is exact, too', (expression, result) => {
    expect(evaluateMath({ kind: 'math', expression, variables: {} })).toBe(result);
  });

  test.each([
    ['4.35 * 1e8', '435000000'],
    ['[1234567.89 * 100, 0.07 * 1e14]', '[123456789, 7000000000000]'],
    ['1.1 * 1e15', '1100000000000000'],
    ['9007199254740993 / 3', '3002399751580331'],
    ['999999999999999 m to km', '1000000000000 km'],
    ['123456789012345.6', '1.2345678901235e+14'],
  ])('%s is %s: a whole number in full, whatever is lost beyond its digits', (expression, result) => {
    expect(evaluateMath({ kind: 'math', expression, variables: {} })).toBe(result);
  });

  test.each([
    ['bignumber(2)^300', /^20370359763344860862684456884093\d+397376$/],
    ['bignumber(10)^300 / 7', /^1\.4285714285714e\+299$/],
    ['factorial(bignumber(100000))', /^2\.8242294079603e\+456573$/],
    ['bignumber("1e999999")', /^1e\+999999$/],
    ['[bignumber("1e99999999999") + 1, 2]', /^\[1e\+99999999999, 2\]$/],
  ])('writes of %s no digits that are not those of the number', (expression, result) => {
    expect(evaluateMath({ kind: 'math', expression, variables: {} })).toMatch(result);
  });

  test.each([
    ['171!', /^1241018\d+$/],
    ['2^1e6', /^9\.9006562292959e\+301029$/],
    ['10^309 mod 7', /^6$/],
    ['10^400 / 10^399', /^10$/],
    ['10^400 / 10^401', /^0\.1$/],
    [
      'combinations(400, 200)',
      /^10295250013541443297297588032040198675721092538107764823484905957592333237265195859833\d+$/,
    ],
    ['[1e400, 2]', /^\[1e\+400, 2\]$/],
    ['a * o.a', /^1e\+400$/],
    ['[1 / 0, 0.5]', /^\[Infinity, 0\.5\]$/],
    ['bigint(3)^bigint(2000) mod bigint(7)', /^2$/],
  ])('%s is calculated beyond the range of plain numbers', (expression, result) => {
    expect(evaluateMath({ kind: 'math', expression, variables: { a: 1e200, o: { a: 1e200 } } })).toMatch(result);
  });

  test('rounds what is beyond plain numbers as is asked', () => {
    expect(evaluateMath({ kind: 'math', expression: '171!', variables: {}, precision: 5 })).toBe('1.241e+309');
    expect(evaluateMath({ kind: 'math', expression: 'a / 3', variables: { a: 1 }, precision: 20 })).toBe(
      '0.33333333333333333333',
    );
  });

  test.each([
    ['3^2000 mod 7', 'all digits'],
    ['10^400 + 1 - 10^400', 'all digits'],
    ['gamma(1000.5)', 'set precision to 16'],
    ['sum(map(1:2000, f(x) = exp(x)))', 'set precision to 16'],
  ])('%s is refused: it would be wrong, or take too long', (expression, issue) => {
    expect(() => evaluateMath({ kind: 'math', expression, variables: {} })).toThrow(issue);
  });

  test('does not calculate with big decimals what plain numbers can represent', () => {
    const evaluate = (expression: string) => evaluateMath({ kind: 'math', expression, variables: {} });
    evaluate('1');
    const spent = cpuTimeOf(() => {
      expect(evaluate('round(sum(map(1:3000, f(x) = sin(x))))')).toBe('2');
      expect(evaluate('sum(map(1:20000, f(x) = floor(sqrt(x))))')).toBe('1875770');
    });
    expect(spent).toBeLessThan(10_000);
  });
});
