import { compute, isPlain, tellTime, type TimeArguments } from '../../compute/index.ts';
import type { ToolImplementation } from '../../tool.ts';

/** Tells and calculates times by the clock that is given. */
export function createTimeNow(now: () => number): ToolImplementation {
  return {
    run: async (args, context) => {
      const given = args as TimeArguments;
      const job = { kind: 'time' as const, now: now(), given };
      if (isPlain(given)) return { value: tellTime(job) };
      return { value: JSON.parse(await compute(job, context)) as unknown };
    },
  };
}

/** Tells and calculates times. */
export const timeNow = createTimeNow(Date.now);
