import { ToolFailure } from '../tool-failure.ts';
import type { ToolContext } from '../tool.ts';
import { ComputeChild } from './compute-child.ts';
import { FairSlots } from './fair-slots.ts';
import type { ComputeJob } from './job.ts';

/** Processes kept for the next job: starting one takes some hundred milliseconds. */
const MAX_IDLE = 2;
/** How long one is kept without a job. */
const IDLE_MS = 10 * 60_000;

const slots = new FairSlots({ atWork: 4, atWorkOfOne: 2, waiting: 200, waitingSize: 8_000_000 });
const idle: { readonly child: ComputeChild; readonly leave: NodeJS.Timeout }[] = [];

/**
 * Runs a job in a process of bounded memory, which is ended when the signal aborts; answers the JSON of its result. A job
 * that the input makes fail is a `ToolFailure`. A job that holds much is given as a function, called when it is its turn.
 */
export async function compute(
  job: ComputeJob | (() => Promise<ComputeJob>),
  { orgId, signal }: Pick<ToolContext, 'orgId' | 'signal'>,
): Promise<string> {
  const given = typeof job === 'function' ? undefined : JSON.stringify(job);
  await slots.take(orgId, given?.length ?? 0, signal);
  try {
    const text = given ?? JSON.stringify(typeof job === 'function' ? await job() : job);
    // Nobody would end a process that is given nothing to do.
    signal.throwIfAborted();
    const child = takeIdle() ?? new ComputeChild(forget);
    const answer = await child.run(text, signal);
    // What failed may have left work behind that goes on.
    if ('fault' in answer) {
      child.end();
      throw new ToolFailure('invalid_input', answer.fault);
    }
    keep(child);
    return answer.text;
  } finally {
    slots.free(orgId);
  }
}

function takeIdle(): ComputeChild | undefined {
  const last = idle.pop();
  clearTimeout(last?.leave);
  return last?.child;
}

function keep(child: ComputeChild): void {
  if (child.isSpent || idle.length >= MAX_IDLE) child.end();
  else idle.push({ child, leave: setTimeout(() => child.end(), IDLE_MS).unref() });
}

// One that dies while it is idle is not handed out again.
function forget(child: ComputeChild): void {
  const place = idle.findIndex((each) => each.child === child);
  if (place !== -1) clearTimeout(idle.splice(place, 1)[0]?.leave);
}
