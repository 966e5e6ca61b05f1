import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { StartFailure } from '../core/start-failure.ts';
import type { RunningPart } from './spawn-part.ts';
import { isUnresponsive, supervise } from './supervise.ts';

describe('supervise', () => {
  /** Returns a part whose end the test decides. */
  function fakePart(): RunningPart & { die: (reason: string) => void } {
    const { promise, resolve } = Promise.withResolvers<string>();
    return {
      pid: 1,
      exited: promise,
      die: resolve,
      kill: () => resolve('signal SIGKILL'),
      stop: async () => resolve('exit code 0'),
    };
  }

  describe('a supervised part', () => {
    test('is started again, and that is said, when it dies', async () => {
      const begun = [fakePart(), fakePart()];
      const lines: string[] = [];
      const again = Promise.withResolvers<void>();
      const say = (line: string): void => {
        lines.push(line);
        if (line === 'api is up again.') again.resolve();
      };
      let at = 0;
      const part = supervise({ name: 'api', say, firstDelayMs: 1, start: async () => begun[at++] ?? fakePart() });
      await part.up;
      begun[0]?.die('exit code 7');
      await again.promise;
      expect(lines).toEqual(['api stopped (exit code 7); starting it again in 0.001 s.', 'api is up again.']);
      await part.stop();
    });

    test('is given up when it never comes up', async () => {
      let attempts = 0;
      const start = async (): Promise<RunningPart> => {
        attempts += 1;
        throw new Error('no');
      };
      await expect(supervise({ name: 'api', say: () => {}, firstDelayMs: 1, start }).up).rejects.toThrow('no');
      expect(attempts).toBe(3);
    });

    test('is given up at once when trying again would not help', async () => {
      let attempts = 0;
      const start = async (): Promise<RunningPart> => {
        attempts += 1;
        throw new StartFailure('The port is taken.');
      };
      await expect(supervise({ name: 'api', say: () => {}, firstDelayMs: 1, start }).up).rejects.toThrow(
        'The port is taken.',
      );
      expect(attempts).toBe(1);
    });

    test('stays down when it was stopped on purpose', async () => {
      let attempts = 0;
      const start = async (): Promise<RunningPart> => {
        attempts += 1;
        return fakePart();
      };
      const part = supervise({ name: 'api', say: () => {}, firstDelayMs: 1, start });
      await part.up;
      await part.stop();
      expect(attempts).toBe(1);
    });

    describe('that is asked for its health', () => {
      const timing = { firstDelayMs: 1, answerLimitMs: 20, askEveryMs: 5 };

      /** Resolves to the output once a part with the given responses has been replaced, or was asked thirty times. */
      async function watchFor(answers: (n: number) => Promise<boolean>): Promise<string[]> {
        const lines: string[] = [];
        let started = 0;
        let asked = 0;
        const settled = Promise.withResolvers<void>();
        const start = async (): Promise<RunningPart> => {
          started += 1;
          if (started === 2) settled.resolve();
          const ask = async () => {
            asked += 1;
            if (asked === 30) settled.resolve();
            return answers(asked);
          };
          return { ...fakePart(), answers: async () => (started > 1 ? true : ask()) };
        };
        const part = supervise({ name: 'worker', say: (line) => lines.push(line), start, ...timing });
        await settled.promise;
        await part.stop();
        return lines;
      }

      const never = new Promise<boolean>(() => {});
      const ended = [
        'worker left three questions in a row unanswered, 0.02 s each; ending it.',
        'worker stopped (signal SIGKILL); starting it again in 0.001 s.',
      ];

      test.each([
        ['does not answer', async () => never],
        ['says no', async () => false],
        ['fails to answer', async () => Promise.reject(new Error('refused'))],
      ])('is ended and started again, and that is said, when it %s three times in a row', async (_, answer) => {
        expect((await watchFor(answer)).slice(0, 2)).toEqual(ended);
      });

      test('is left alone while it answers', async () => {
        expect(await watchFor(async () => true)).toEqual([]);
      });

      test('is left alone when it answers each third time', async () => {
        expect(await watchFor(async (n) => (n % 3 === 0 ? true : never))).toEqual([]);
      });
    });
  });
});

describe('health check', () => {
  const never = new Promise<boolean>(() => {});
  afterEach(() => void jest.useRealTimers());

  test('a part is not deaf because the machine stood still', async () => {
    jest.useFakeTimers();
    const stop = new AbortController();
    let asked = 0;
    const ask = async (): Promise<boolean> => {
      asked += 1;
      if (asked > 4) return true;
      // Stands for a laptop that was closed: our own timer is late, too.
      jest.setSystemTime(Date.now() + 1_200);
      return never;
    };
    const found = isUnresponsive({ probe: ask, limitMs: 20, everyMs: 5, signal: stop.signal });
    await jest.advanceTimersByTimeAsync(200);
    expect(asked).toBeGreaterThan(5);
    stop.abort();
    expect(await found).toBe(false);
  });

  test('a part that is called off is not deaf', async () => {
    const stop = new AbortController();
    let asked = 0;
    const ask = async (): Promise<boolean> => {
      asked += 1;
      if (asked === 2) stop.abort();
      return never;
    };
    expect(await isUnresponsive({ probe: ask, limitMs: 50, everyMs: 5, signal: stop.signal })).toBe(false);
    expect(asked).toBe(2);
  });
});
