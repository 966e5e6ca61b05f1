import { ComputeChild } from '../../../activities/tools/compute/compute-child.ts';
import { compute } from '../../../activities/tools/compute/index.ts';
import { DOCUMENT_PROGRAM } from '../../../activities/tools/compute/start-child.ts';
import type { ToolContext } from '../../../activities/tools/context.ts';
import { ToolFailure } from '../../../activities/tools/tool-failure.ts';
import { ownPayer } from '../own-payer.ts';

/** Runs the jobs about documents in one process, where a worker starts one for each: most of a job is its start. */
export class DocumentProcess {
  readonly #child = new ComputeChild(() => undefined, DOCUMENT_PROGRAM);
  readonly #end = new AbortController();

  readonly compute: ToolContext['compute'] = async (job, options) => {
    const { signal } = this.#end;
    if (options?.document === undefined) return compute(job, { payer: ownPayer('documents'), signal }, options);
    const text = JSON.stringify(typeof job === 'function' ? await job() : job);
    const result = await this.#child.run({ text, file: await options.document() }, signal);
    if ('issue' in result) throw new ToolFailure('invalid_input', result.issue);
    return result.text;
  };

  close(): void {
    this.#end.abort();
    this.#child.end();
  }
}
