import { ComputeChild } from '../../activities/tools/compute/compute.ts';
import type { ComputeResult } from '../../activities/tools/compute/job.ts';
import { DOCUMENT_PROGRAM } from '../../activities/tools/compute/start-child.ts';
import type { ToolContext } from '../../activities/tools/context.ts';
import { ToolFailure } from '../../activities/tools/tool-failure.ts';

/** A process that does one job after the other, those after a job that has failed too. */
class KeptProcess {
  readonly #program: string | undefined;
  #child: ComputeChild | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(program?: string) {
    this.#program = program;
  }

  async run(text: string, file: Buffer | undefined, signal: AbortSignal): Promise<ComputeResult> {
    const turn = this.#last.then(async () => this.#ready().run({ text, file }, signal));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #ready(): ComputeChild {
    if (this.#child?.isExhausted === true) this.#child.end();
    else if (this.#child !== undefined) return this.#child;
    const child = new ComputeChild(() => {
      if (this.#child === child) this.#child = undefined;
    }, this.#program);
    return (this.#child = child);
  }
}

const calculations = new KeptProcess();
const documents = new KeptProcess(DOCUMENT_PROGRAM);

/**
 * Runs jobs in two processes that all test files of this one share, where a worker starts another after each failure
 * and for each document: most of a job is the start of its process. The two end with this one. The limit on the
 * time of a job is of this file: a test of the limit has its own processes.
 */
export function computeInKept(stop: AbortSignal): ToolContext['compute'] {
  return async (job, { document, limitMs } = {}) => {
    const text = JSON.stringify(typeof job === 'function' ? await job() : job);
    const file = await document?.();
    const limit = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
    const signal = limit === undefined ? stop : AbortSignal.any([stop, limit]);
    const running = (file === undefined ? calculations : documents).run(text, file, signal);
    const result = await running.catch((error: unknown) => {
      throw limit?.aborted === true && !stop.aborted
        ? new ToolFailure('invalid_input', 'The calculation takes too long')
        : error;
    });
    if ('issue' in result) throw new ToolFailure('invalid_input', result.issue);
    return result.text;
  };
}
