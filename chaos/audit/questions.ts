import type { Queried } from '../installation/installation.ts';
import { buttonsOf } from '../../test/support/fake-slack.ts';
import type { SentAnswer } from '../automation/answer-questions.ts';
import type { AutomationWork } from '../automation/automation-worker.ts';
import { isShort, type QuestionPlan } from '../automation/plan-automation.ts';
import { hashOf, type ModelReply } from '../installation/model-reply.ts';
import type { AskArrival } from '../installation/report-sinks.ts';
import type { Delivery } from '../installation/sinks.ts';
import type { Verdict } from './facts.ts';

/** A call that asks a person or waits for one, as it is stored. Times are milliseconds since the epoch. */
interface AskingCallFact {
  readonly id: string;
  readonly runId: string;
  /** The message of its turn. */
  readonly content: string;
  readonly status: string;
  readonly result: string | null;
  /** The replies of the model after it that were taken. */
  readonly continuations: number;
  readonly approvals: readonly AskedFact[];
}

interface AskedFact {
  readonly id: string;
  readonly status: string;
  readonly answer: string | null;
  readonly decidedBy: string | null;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  /** The actions in the audit log that have ended it, with their fields. */
  readonly entries: readonly { readonly action: string; readonly fields: readonly string[] }[];
  /** The mails and messages that were to ask people. */
  readonly notices: readonly {
    readonly kind: AskArrival['kind'];
    readonly status: string;
    /** Why it was not sent; null when it was. */
    readonly error: string | null;
  }[];
}

/** What is stored of questions. */
export interface QuestionFacts {
  readonly asking: readonly AskingCallFact[];
}

/** What the promise about questions is held against. */
export interface QuestionEvidence {
  readonly facts: QuestionFacts;
  readonly work: AutomationWork;
  readonly asks: readonly AskArrival[];
  /** What the model was asked, and the effects that reached the ledger. */
  readonly replies: readonly ModelReply[];
  readonly effects: readonly Delivery[];
  /** The end of the last fault, in milliseconds since the epoch. */
  readonly healedAt: number;
}

/** Reads the record of the calls of runs that ask people. */
export async function readAskingCalls(stack: Queried): Promise<AskingCallFact[]> {
  return stack.query<AskingCallFact>(`
    select k.id, t.run_id as "runId", k.status, k.result,
      (select m.content from messages m where m.turn_id = t.id and m.role = 'user') as content,
      (select count(*)::int from token_usage u where u.turn_id = t.id and u.step > k.step) as continuations,
      coalesce((select json_agg(json_build_object('id', a.id, 'status', a.status, 'answer', a.answer, 'decidedBy', a.decided_by,
          'expiresAt', extract(epoch from a.expires_at) * 1000, 'decidedAt', extract(epoch from a.decided_at) * 1000,
          'entries', (select coalesce(json_agg(json_build_object('action', l.action, 'fields', l.fields)), '[]') from audit_log l
            where l.record_id = a.id and l.outcome = 'success' and l.action in ('approvals.decide', 'approvals.expire')),
          'notices', (select coalesce(json_agg(json_build_object(
              'kind', case when w.channel_id is null then 'email' else 'slack' end, 'status', d.status, 'error', d.error)), '[]')
            from webhook_deliveries d join webhook_targets w on w.id = d.target_id
            where d.approval_id = a.id and not d.is_update)))
        from approvals a where a.call_id = k.id), '[]') as approvals
    from tool_calls k join turns t on t.id = k.turn_id
    where t.run_id is not null and k.name in ('ask_person', 'http_request') order by k.id`);
}

/** How long after its deadline, or after the last fault, a question may wait. */
const EXPIRY_LIMIT_MS = 120_000;

/**
 * Checks A6: each question is decided once, by whom it asks or by its deadline, and its turn goes on once, with that
 * answer. It is asked of nobody else.
 */
export function questionsDecided(evidence: QuestionEvidence): Verdict {
  const { facts, work, asks } = evidence;
  const calls = Map.groupBy(facts.asking, ({ runId }) => runId);
  const asked = work.plan.questions.map((plan) => ({ plan, calls: calls.get(work.questions.get(plan) ?? '') ?? [] }));
  const breaches = [
    ...asked.flatMap((each) => faultsOfQuestion(each, evidence).map((fault) => `${each.plan.name}: ${fault}`)),
    ...work.plan.questions.flatMap((plan) => faultsOfArrivals(plan, work, asks)),
  ];
  return {
    promise: 'A6',
    claim: 'each question is decided once, and its turn goes on once',
    figure: figureOf(evidence),
    breaches,
  };
}

function figureOf({ facts, work, asks }: QuestionEvidence): string {
  const approvals = facts.asking.flatMap((each) => each.approvals);
  const by = (field: string) =>
    approvals.filter(({ entries }) => entries.some(({ fields }) => fields.includes(field))).length;
  const expired = approvals.filter(({ status }) => status === 'expired');
  const decided = approvals.filter(({ decidedBy }) => decidedBy !== null).length;
  const lags = expired.map(({ decidedAt, expiresAt }) => (decidedAt ?? 0) - expiresAt);
  return (
    `${work.questions.size} were begun, ${approvals.length} of them waited: ${by('token')} decided by mail, ${by('channel')} in Slack, ` +
    `${decided - by('token') - by('channel')} otherwise, ${expired.length} expired, at most ${(Math.max(0, ...lags) / 1_000).toFixed(1)} s after the deadline; ` +
    `${work.answers.length} decisions were sent; ${asks.length} mails and messages, ${asks.filter(({ isTaken }) => !isTaken).length} were refused`
  );
}

interface Asked {
  readonly plan: QuestionPlan;
  readonly calls: readonly AskingCallFact[];
}

function faultsOfQuestion({ plan, calls }: Asked, evidence: QuestionEvidence): string[] {
  const [call, ...others] = calls;
  if (call === undefined || others.length > 0) return [`it has ${calls.length} calls`];
  const [approval, ...more] = call.approvals;
  // One that comes to its agent after its deadline is refused.
  if (approval === undefined && isShort(plan) && call.status === 'error' && call.result?.includes('deadline') === true)
    return [];
  if (approval === undefined || more.length > 0)
    return [`call ${call.id} was asked about ${call.approvals.length} times, and is ${call.status}: ${call.result}`];
  const sent = evidence.work.answers.filter(({ name }) => name === plan.name);
  return [
    ...(approval.status === 'expired'
      ? faultsOfExpiry(plan, approval, evidence)
      : faultsOfDecision(approval, sent, evidence.work.automation.people[plan.asks].id)),
    ...faultsOfCall(plan, { call, approval }, evidence),
    ...faultsOfNotices(plan, approval, evidence.asks),
  ];
}

function faultsOfExpiry(
  { kind, name }: QuestionPlan,
  { answer, decidedBy, decidedAt, expiresAt, entries }: AskedFact,
  { healedAt }: QuestionEvidence,
): string[] {
  const lag = (decidedAt ?? Number.POSITIVE_INFINITY) - Math.max(expiresAt, healedAt);
  const faults: string[] = [];
  if (kind === 'call' || answer !== `${name}-none` || decidedBy !== null) faults.push(`it has expired with ${answer}`);
  if ((decidedAt ?? 0) < expiresAt) faults.push('it has expired before its deadline');
  if (lag > EXPIRY_LIMIT_MS) faults.push(`it has expired ${lag} ms after its deadline, or the last fault`);
  if (entries.length !== 1 || entries[0]?.action !== 'approvals.expire')
    faults.push(`the audit log says of its expiry: ${JSON.stringify(entries)}`);
  return faults;
}

function faultsOfDecision(approval: AskedFact, sent: readonly SentAnswer[], askedId: string): string[] {
  const { status, answer, decidedBy, decidedAt, expiresAt } = approval;
  if (status !== 'answered' && status !== 'approved' && status !== 'denied') return [`it is ${status}`];
  const counts = (each: SentAnswer) => each.answer === answer && each.approve === (status !== 'denied');
  const taken = sent.filter((each) => each.by === 'api' && each.status === 200);
  const faults = faultsOfEntries(approval, taken.length);
  if (decidedBy !== askedId) faults.push(`it was decided by ${decidedBy}, whom it does not ask`);
  if (!sent.some((each) => each.userId === askedId && counts(each)))
    faults.push(`it is ${status} with ${answer}, which nobody has sent`);
  if ((decidedAt ?? Number.POSITIVE_INFINITY) > expiresAt) faults.push('it was decided after its deadline');
  if (taken.length > 1 || !taken.every(counts))
    faults.push(`it is ${status} with ${answer}, and another decision was taken`);
  return faults;
}

// An entry may be lost with the api, and then nobody learns that the decision counts.
function faultsOfEntries({ entries }: AskedFact, least: number): string[] {
  const isSound = entries.length <= 1 && entries.length >= least;
  return isSound && entries.every(({ action }) => action === 'approvals.decide')
    ? []
    : [`the audit log says of its decision: ${JSON.stringify(entries)}`];
}

/** A call, and the only approval that it has waited for. */
interface Decided {
  readonly call: AskingCallFact;
  readonly approval: AskedFact;
}

/** Checks that the turn went on once, with what was decided. */
function faultsOfCall(
  { kind, name }: QuestionPlan,
  decided: Decided,
  { replies, effects }: QuestionEvidence,
): string[] {
  const { continuations, content } = decided.call;
  const times = effects.filter(({ token }) => token === name).length;
  const given = replies.filter(({ contentHash, step }) => contentHash === hashOf(content) && step > 0);
  return [
    ...(continuations === 1 ? [] : [`its turn went on ${continuations} times`]),
    ...(kind === 'call' ? faultsOfApproved(decided, times) : faultsOfAnswered(decided, given)),
  ];
}

function faultsOfApproved({ call, approval: { status } }: Decided, times: number): string[] {
  const isApproved = status === 'approved';
  const possible = isApproved ? ['success', 'unknown'] : ['error'];
  const isSound = possible.includes(call.status) && times <= (isApproved ? 1 : 0);
  return isSound && (call.status !== 'success' || times === 1)
    ? []
    : [`it is ${status}, its call is ${call.status}, and it was made ${times} times: ${call.result}`];
}

function faultsOfAnswered({ call, approval: { answer } }: Decided, given: readonly ModelReply[]): string[] {
  const faults: string[] = [];
  if (call.status !== 'success' || call.result?.includes(`"answer":"${answer}"`) !== true)
    faults.push(`it was answered with ${answer}, and its call is ${call.status}: ${call.result}`);
  if (given.length === 0 || given.some((reply) => reply.answer !== answer))
    faults.push(`it was answered with ${answer}, and the model had ${given.map((each) => each.answer).join(' and ')}`);
  return faults;
}

// What was decided before it could be sent is not sent.
function faultsOfNotices({ name }: QuestionPlan, { notices }: AskedFact, asks: readonly AskArrival[]): string[] {
  const taken = asks.filter((each) => each.name === name && each.isTaken);
  const shown = taken.flatMap(({ isAnswered, message }) => (isAnswered && message) || []);
  return [
    ...notices.flatMap(({ kind, status, error }) => {
      if (status === 'pending') return [`its ${kind} is still to be sent`];
      const isMissing = status === 'delivered' && error === null && !taken.some((each) => each.kind === kind);
      return isMissing ? [`its ${kind} has not arrived`] : [];
    }),
    ...(shown.length > 0 && shown.every((message) => buttonsOf(message).size > 0)
      ? ['its message in Slack can still be answered']
      : []),
  ];
}

function faultsOfArrivals(
  { name, asks }: QuestionPlan,
  { automation: { people } }: AutomationWork,
  arrivals: readonly AskArrival[],
): string[] {
  const { email, slackId } = people[asks];
  const ofQuestion = arrivals.filter((each) => each.name === name && each.isTaken);
  const wrong = ofQuestion.filter(({ kind, to }) => to !== (kind === 'email' ? email : `D${slackId}`));
  const ids = new Set(ofQuestion.flatMap(({ messageId }) => messageId ?? []));
  return [
    ...wrong.map(({ to }) => `${name}: it was sent to ${to}, whom it does not ask`),
    ...(ids.size > 1 ? [`${name}: its mail came under several ids`] : []),
  ];
}
