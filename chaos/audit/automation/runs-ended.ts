import type { AutomationWork } from '../../automation/automation-worker.ts';
import type { CallPlan, ReviewPlan } from '../../automation/plan-automation.ts';
import type { Verdict } from '../verdict.ts';
import type { AutomationFacts, RunFact } from './automation-facts.ts';

/**
 * Checks A1: what was asked for runs once, to the end that it must have: an accepted request of a webhook has one run,
 * however often it was sent, and so has a run that a user has started.
 */
export function runsEnded({ runs, approvals }: AutomationFacts, work: AutomationWork): Verdict {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const approved = new Map(approvals.map(({ runId, status }) => [runId, status === 'approved']));
  const open = runs.filter(({ completedAt }) => completedAt === null);
  const breaches = [
    ...open.map(({ id, status }) => `run ${id} is ${status}`),
    ...work.plan.calls.flatMap((call) => faultsOfCall(call, runs, work)),
    ...work.plan.reviews.flatMap((review) => faultsOfReview(review, { work, byId, approved })),
    ...work.plan.schedules.flatMap((schedule) => {
      const ofSchedule = runs.filter(({ scheduleId }) => scheduleId === work.automation.scheduleIds.get(schedule.name));
      return ofSchedule.flatMap((run) => faultsOfScheduled(run, schedule.turn.text));
    }),
  ];
  const asked = [...work.calls.values()].reduce((sum, ids) => sum + ids.length, 0);
  const of = (status: string) => runs.filter((run) => run.status === status).length;
  return {
    promise: 'A1',
    claim: 'what starts a run starts one, and it ends as it must',
    figure:
      `${runs.length} runs: ${of('completed')} completed, ${of('failed')} failed, ${of('interrupted')} interrupted; ` +
      `${asked} answers of the webhook for ${work.plan.calls.length} requests, ${work.reviews.size} runs with steps`,
    breaches,
  };
}

function faultsOfCall(call: CallPlan, runs: readonly RunFact[], { calls, automation }: AutomationWork): string[] {
  const answers = new Set(calls.get(call));
  const found = runs.filter(
    ({ workflowId, questions, deliveryKey }) =>
      workflowId === automation.callsId &&
      (deliveryKey?.endsWith(call.deliveryId) === true || questions[0] === call.turn.content),
  );
  const [run] = found;
  if (answers.size === 0) return [`${call.deliveryId} was never accepted`];
  if (run === undefined || found.length > 1) return [`${call.deliveryId} has ${found.length} runs`];
  const faults = [];
  if (answers.size > 1 || !answers.has(run.id))
    faults.push(`${call.deliveryId} was answered with ${[...answers].join(' and ')}, and is run ${run.id}`);
  return [...faults, ...faultsOfEnd(run, 'completed', call.turn.text)];
}

interface Reviewed {
  readonly work: AutomationWork;
  readonly byId: ReadonlyMap<string, RunFact>;
  readonly approved: ReadonlyMap<string, boolean>;
}

function faultsOfReview(review: ReviewPlan, { work, byId, approved }: Reviewed): string[] {
  const run = byId.get(work.reviews.get(review) ?? '');
  if (run === undefined) return [`${review.key} was not started`];
  // Where two have decided otherwise at once, either may have been the first.
  const isApproved = approved.get(run.id) === true;
  if (!isApproved) return faultsOfEnd(run, 'interrupted', review.draft.text);
  const [, second] = run.questions;
  const wanted = [review.review.content, ...(review.decision === 'edit' ? [review.edited.content] : [])];
  const asked = second !== undefined && wanted.includes(second) ? [] : [`run ${run.id} went on with another prompt`];
  return [...asked, ...faultsOfEnd(run, 'completed', review.end.text)];
}

function faultsOfEnd(run: RunFact, status: string, output: string | undefined): string[] {
  const faults = [];
  if (run.status !== status) faults.push(`run ${run.id} is ${run.status} and not ${status}: ${run.error}`);
  if (output !== undefined && run.output !== output)
    faults.push(`run ${run.id} says ${JSON.stringify(run.output)} and not ${JSON.stringify(output)}`);
  return faults;
}

// A run that the next slot has stopped has failed.
function faultsOfScheduled(run: RunFact, text: string | undefined): string[] {
  return run.wasAskedToStop && run.status !== 'completed' ? [] : faultsOfEnd(run, 'completed', text);
}
