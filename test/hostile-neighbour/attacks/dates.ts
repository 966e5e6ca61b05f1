import { expect } from '@jest/globals';
import type { Attack, AttackFamily } from '../attack.ts';
import { expectBounded, expectStruck } from '../expect-ending.ts';
import type { HostileCall } from '../hostile-replies.ts';

const BLANKS = '1d    '.repeat(33);
const WORDS = ['januaryfebruarymarch'.repeat(10), '1/1/'.repeat(50), 'mon - tue to wed until thu '.repeat(7)].map(
  (parse) => ({ parse }),
);
const CRON_LINES = ['0 0 30 2 *', '0 0 29 2 1#1', `${'0-59/1,'.repeat(12)}1 0 29 2 *`].map((cron) => ({ cron }));
const DURATIONS = [`P${'9'.repeat(80)}Y`, '1 day '.repeat(16)].map((add) => ({ add }));

/** Dates in words, cron lines and durations that take long to read. */
export const dates: AttackFamily = {
  name: 'dates',
  attacks: [
    bounded('gives dates with many blanks in between', [timeNow({ parse: BLANKS })]),
    bounded('gives 32 dates with many blanks at once', repeated({ parse: BLANKS })),
    {
      name: 'has the demo model read a date with many blanks',
      run: async (attacker) => {
        const chatId = await attacker.chat(['time_now']);
        const { kind } = await attacker.ask(chatId, `use time_now {"parse":"${'1d    '.repeat(12)}"}`);
        expect(['answered', 'stopped']).toContain(kind);
        return kind;
      },
    },
    bounded('gives dates of long words, numbers and ranges', repeated(...WORDS)),
    bounded('asks for the runs of cron lines that never or hardly ever run', repeated(...CRON_LINES)),
    {
      name: 'asks for the runs of such lines 31 times in each of 20 chats',
      run: async (attacker) => {
        const ending = await attacker.runCallsInChats(20, repeated(...CRON_LINES).slice(1));
        return expectStruck(ending, /"message"|"time"|"cron"/);
      },
    },
    bounded('adds durations of a million years and of many words', repeated(...DURATIONS)),
  ],
};

function timeNow(args: Record<string, unknown>): HostileCall {
  return { name: 'time_now', arguments: args };
}

// A call that differs a little each time, so that none is taken for a repetition.
function repeated(...args: readonly Record<string, unknown>[]): HostileCall[] {
  return Array.from({ length: 32 }, (_, index) =>
    timeNow({ ...args[index % args.length], at: `2026-03-01T00:${String(index).padStart(2, '0')}` }),
  );
}

function bounded(name: string, calls: readonly HostileCall[]): Attack {
  return { name, run: async (attacker) => expectBounded(await attacker.runCalls(calls)) };
}
