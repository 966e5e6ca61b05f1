import type { Queried } from '../installation/installation.ts';
import type { AutomationWork, SentDecision } from '../automation/automation-worker.ts';
import type { CallPlan, ReviewPlan } from '../automation/plan-automation.ts';
import type { ReportArrival } from '../installation/report-sinks.ts';
import type { Notified } from '../installation/sinks.ts';
import { type QuestionEvidence, type QuestionFacts, questionsDecided, readAskingCalls } from './questions.ts';
import { slotsFired } from './slots.ts';
import type { Verdict } from './facts.ts';

/** What the promises about automation are held against. */
export interface AutomationEvidence extends QuestionEvidence {
  readonly facts: AutomationFacts;
  readonly notified: readonly Notified[];
  readonly reports: readonly ReportArrival[];
  /** The work that the agent of another platform was given. */
  readonly given: readonly string[];
  /** Whether Temporal has lost its store meanwhile; it has not unless given. */
  readonly hasLostStore?: boolean;
}

/** Checks the promises about automation; in a run without any they are not applicable. */
export function automationVerdicts(evidence: AutomationEvidence | undefined): Verdict[] {
  if (evidence === undefined) return ['P6', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'].map(notChecked);
  const { facts, work, notified, reports, given, hasLostStore = false } = evidence;
  return [
    slotsFired(facts, work, hasLostStore),
    runsEnded(facts, work),
    approvalsDecided(facts, work),
    outsideNotified(facts, notified),
    reportsArrived(facts, reports),
    workGivenOnce(facts, given),
    questionsDecided(evidence),
  ];
}

function notChecked(promise: string): Verdict {
  return { promise, claim: '', figure: 'no automation in this run', breaches: undefined };
}

/** A stored run. Times are milliseconds since the epoch. */
export interface RunFact {
  readonly id: string;
  readonly workflowId: string | null;
  readonly scheduleId: string | null;
  readonly deliveryKey: string | null;
  readonly slot: number | null;
  readonly status: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly wasAskedToStop: boolean;
  readonly createdAt: number;
  readonly completedAt: number | null;
  /** The questions of its turns, step by step and try by try. */
  readonly questions: readonly string[];
}

/** A stored decision about a step. */
interface ApprovalFact {
  readonly id: string;
  readonly runId: string;
  readonly status: string;
}

/** A message to the outside, as it is stored; in the order in which its address is to be told. */
interface DeliveryFact {
  readonly id: string;
  readonly targetId: string;
  /** The kind of the destination that it is a report to; null for the address that is told. */
  readonly destination: string | null;
  readonly runId: string;
  readonly status: string;
  readonly seq: number;
}

/** Work that a run has given to an agent of another platform, as it is stored. */
interface DelegationFact {
  readonly id: string;
  readonly runId: string;
  /** What the agent was to be told. */
  readonly task: string;
  readonly status: string;
  readonly result: string | null;
}

/** All that is stored of the automation of an organization. */
export interface AutomationFacts extends QuestionFacts {
  readonly runs: readonly RunFact[];
  readonly approvals: readonly ApprovalFact[];
  readonly deliveries: readonly DeliveryFact[];
  readonly delegations: readonly DelegationFact[];
}

/** Reads the record of automation. */
export async function readAutomationFacts(stack: Queried): Promise<AutomationFacts> {
  return {
    asking: await readAskingCalls(stack),
    runs: await stack.query<RunFact>(RUNS),
    approvals: await stack.query<ApprovalFact>(
      'select id, run_id as "runId", status from approvals where run_id is not null',
    ),
    deliveries: await stack.query<DeliveryFact>(
      `select d.id, d.target_id as "targetId", d.run_id as "runId", d.status, d.seq::float8 as seq, s.kind as destination
        from webhook_deliveries d join webhook_targets w on w.id = d.target_id
          left join destinations s on s.id = w.destination_id
        where d.run_id is not null order by d.seq`,
    ),
    delegations: await stack.query<DelegationFact>(
      `select k.id, t.run_id as "runId", k.arguments->>'task' as task, k.status, k.result
        from tool_calls k join turns t on t.id = k.turn_id where t.run_id is not null and k.name = 'agent_spawn' order by k.id`,
    ),
  };
}

const RUNS = `
  select r.id, r.workflow_id as "workflowId", r.schedule_id as "scheduleId", r.delivery_key as "deliveryKey", r.status, r.output, r.error,
    r.interrupt_requested_at is not null as "wasAskedToStop", (extract(epoch from r.slot) * 1000)::float8 as slot,
    (extract(epoch from r.created_at) * 1000)::float8 as "createdAt",
    (extract(epoch from r.completed_at) * 1000)::float8 as "completedAt",
    coalesce((select json_agg(m.content order by t.run_step, t.run_attempt) from turns t
      join messages m on m.turn_id = t.id and m.role = 'user' where t.run_id = r.id), '[]') as questions
  from workflow_runs r order by r.id`;

/**
 * Checks A1: what was asked for runs once, to the end that it must have: an accepted request of a webhook has one run,
 * however often it was sent, and so has a run that a user has started.
 */
function runsEnded({ runs, approvals }: AutomationFacts, work: AutomationWork): Verdict {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const approved = new Map(approvals.map(({ runId, status }) => [runId, status === 'approved']));
  const open = runs.filter(({ completedAt }) => completedAt === null);
  const breaches = [
    ...open.map(({ id, status }) => `run ${id} is ${status}`),
    ...work.plan.calls.flatMap((call) => faultsOfCall(call, runs, work)),
    ...work.plan.reviews.flatMap((review) => faultsOfReview(review, { work, byId, approved })),
    ...work.plan.questions.flatMap((question) => {
      const run = byId.get(work.questions.get(question) ?? '');
      return run === undefined
        ? [`${question.name} was not started`]
        : faultsOfEnd(run, 'completed', question.turn.text);
    }),
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
      `${asked} answers of the webhook for ${work.plan.calls.length} requests, ${work.reviews.size} runs with steps, ${work.questions.size} with questions`,
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

/** Checks A2: a step that waits is decided once, as the one was told whose decision counts. */
function approvalsDecided({ approvals, runs }: AutomationFacts, work: AutomationWork): Verdict {
  const sent = Map.groupBy(work.decisions, ({ approvalId }) => approvalId);
  const reviews = runs.filter(({ workflowId }) => workflowId === work.automation.reviewsId);
  const asked = Map.groupBy(approvals, ({ runId }) => runId);
  const breaches = [
    ...approvals.flatMap((approval) => faultsOfApproval(approval, sent.get(approval.id) ?? [])),
    ...reviews
      .filter(({ id }) => asked.get(id)?.length !== 1)
      .map(({ id }) => `run ${id} asked ${asked.get(id)?.length ?? 0} times for a decision`),
  ];
  const refused = work.decisions.filter(({ status }) => status === 409).length;
  return {
    promise: 'A2',
    claim: 'a step that waits for a person is decided once',
    figure:
      `${approvals.filter(({ status }) => status === 'approved').length} approved, ${approvals.filter(({ status }) => status === 'denied').length} denied; ` +
      `${work.decisions.length} decisions were sent, ${refused} of them came too late`,
    breaches,
  };
}

function faultsOfApproval({ id, status }: ApprovalFact, sent: readonly SentDecision[]): string[] {
  const faults: string[] = [];
  const taken = sent.filter((each) => each.status === 200);
  if (status !== 'approved' && status !== 'denied') faults.push(`approval ${id} is ${status}`);
  if (new Set(taken.map(({ approve }) => approve)).size > 1) faults.push(`approval ${id} was decided in both ways`);
  for (const { approve, said } of taken)
    if ((status === 'approved') !== approve || said !== status)
      faults.push(`approval ${id} is ${status}, and ${approve ? 'approving' : 'denying'} it was answered with ${said}`);
  if (!sent.some(({ approve }) => (status === 'approved') === approve))
    faults.push(`approval ${id} is ${status}, which nobody decided`);
  return faults;
}

/**
 * Checks A3: each ended run is told to its address, signed, under one id, and in the order in which the runs have
 * ended. A message whose answer was lost may come again.
 */
function outsideNotified({ runs, deliveries }: AutomationFacts, notified: readonly Notified[]): Verdict {
  const messages = deliveries.filter(({ destination }) => destination === null);
  const arrived = Map.groupBy(notified, ({ deliveryId }) => deliveryId);
  const breaches = [
    ...faultsOfArrivals({ runs, deliveries: messages, arrivalsOf: ({ id }) => arrived.get(id) ?? [] }),
    ...notified.filter(({ isSigned }) => !isSigned).map(({ deliveryId }) => `message ${deliveryId} was not signed`),
  ];
  return {
    promise: 'A3',
    claim: 'each ended run is told to the outside, in order',
    figure: figureOf(messages, notified, [...arrived.values()]),
    breaches,
  };
}

/**
 * Checks A4: each ended run is reported to the mailbox and to the channel, in the order in which the runs have ended. A
 * report whose answer was lost may come again, as a mail with the same `Message-ID`.
 */
function reportsArrived({ runs, deliveries }: AutomationFacts, reports: readonly ReportArrival[]): Verdict {
  const arrived = Map.groupBy(reports, ({ kind, runId }) => `${kind} ${runId}`);
  const sent = deliveries.filter(({ destination }) => destination !== null);
  const breaches = [
    ...(['email', 'slack'] as const).flatMap((kind) =>
      faultsOfArrivals({
        runs,
        deliveries: sent.filter(({ destination }) => destination === kind),
        arrivalsOf: ({ runId }) => arrived.get(`${kind} ${runId}`) ?? [],
      }).map((fault) => `${kind}: ${fault}`),
    ),
    ...[...arrived]
      .filter(([, each]) => new Set(each.map(({ messageId }) => messageId)).size > 1)
      .map(([name]) => `${name} came under several ids`),
  ];
  return {
    promise: 'A4',
    claim: 'each ended run is reported by mail and in a chat service, in order',
    figure: figureOf(sent, reports, [...arrived.values()]),
    breaches,
  };
}

/**
 * Checks A5: an agent of another platform is given each work once at most, and a call says of it what that agent has
 * said, or that its outcome is not known. Each run has one call for it.
 */
function workGivenOnce({ delegations }: AutomationFacts, given: readonly string[]): Verdict {
  const times = Map.groupBy(given, (task) => task);
  const calls = Map.groupBy(delegations, ({ task }) => task);
  const breaches = [
    ...[...times]
      .filter(([, each]) => each.length > 1)
      .map(([task, each]) => `"${task}" was given ${each.length} times`),
    ...[...times.keys()].filter((task) => !calls.has(task)).map((task) => `no call has given "${task}"`),
    ...[...calls].filter(([, each]) => each.length > 1).map(([task, each]) => `"${task}" has ${each.length} calls`),
    ...delegations.flatMap((delegation) => faultsOfDelegation(delegation, times.has(delegation.task))),
  ];
  const count = (status: string) => delegations.filter((each) => each.status === status).length;
  return {
    promise: 'A5',
    claim: 'an agent of another platform is given work once, and its outcome is told as it is',
    figure: `${delegations.length} calls: ${count('success')} were answered, ${count('error')} failed, ${count('unknown')} are unknown; it was given ${given.length}`,
    breaches,
  };
}

function faultsOfDelegation({ id, task, status, result }: DelegationFact, wasGiven: boolean): string[] {
  const [word, name = ''] = task.split(' ');
  if (status === 'unknown') return [];
  if (!wasGiven) return [`call ${id} is ${status}, and "${task}" was never given`];
  const isAnswered = status === 'success' && result?.includes(`\n${name}\n`) === true;
  const isRefused = status === 'error' && word === 'fail';
  return isAnswered || isRefused ? [] : [`call ${id} of "${task}" is ${status}: ${result}`];
}

/** What has come of a message at its address. */
type Arrival = Pick<Notified, 'runId' | 'isTaken' | 'at'>;

function figureOf(
  deliveries: readonly DeliveryFact[],
  arrivals: readonly Arrival[],
  byMessage: readonly (readonly Arrival[])[],
): string {
  const refused = arrivals.filter(({ isTaken }) => !isTaken).length;
  const again = byMessage.filter((each) => each.filter(({ isTaken }) => isTaken).length > 1).length;
  return `${deliveries.length} messages, ${arrivals.length} arrivals; ${refused} were refused, ${again} taken again because the answer was lost`;
}

interface ArrivalsToCheck {
  readonly runs: readonly RunFact[];
  /** All of one kind: each run that has ended has one. */
  readonly deliveries: readonly DeliveryFact[];
  readonly arrivalsOf: (delivery: DeliveryFact) => readonly Arrival[];
}

function faultsOfArrivals({ runs, deliveries, arrivalsOf }: ArrivalsToCheck): string[] {
  const ofRun = Map.groupBy(deliveries, ({ runId }) => runId);
  return [
    ...runs
      .filter(({ id, completedAt }) => completedAt !== null && ofRun.get(id)?.length !== 1)
      .map(({ id }) => `run ${id} has ${ofRun.get(id)?.length ?? 0} messages`),
    ...deliveries.flatMap((delivery) => faultsOfDelivery(delivery, arrivalsOf(delivery))),
    ...[...Map.groupBy(deliveries, ({ targetId }) => targetId).values()].flatMap((ofTarget) =>
      faultsOfOrder(ofTarget, arrivalsOf),
    ),
  ];
}

function faultsOfDelivery({ id, runId, status }: DeliveryFact, arrivals: readonly Arrival[]): string[] {
  const faults: string[] = [];
  if (status !== 'delivered') faults.push(`message ${id} of run ${runId} is ${status}`);
  if (!arrivals.some(({ isTaken }) => isTaken)) faults.push(`message ${id} of run ${runId} was never taken`);
  if (arrivals.some((each) => each.runId !== runId)) faults.push(`message ${id} tells of another run than ${runId}`);
  return faults;
}

// By when each was taken first.
function faultsOfOrder(ofTarget: readonly DeliveryFact[], arrivalsOf: ArrivalsToCheck['arrivalsOf']): string[] {
  const taken = ofTarget.map((delivery) => ({
    id: delivery.id,
    at: arrivalsOf(delivery).find(({ isTaken }) => isTaken)?.at ?? Number.POSITIVE_INFINITY,
  }));
  return taken
    .filter(({ at }, index) => at < (taken[index - 1]?.at ?? 0))
    .map(({ id }) => `message ${id} was taken before the one before it`);
}
