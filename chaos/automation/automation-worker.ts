import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import type { Outside } from '../installation/outside.ts';
import type { Gate } from '../load/gate.ts';
import { InsistentClient } from '../load/insistent-client.ts';
import { fillIn } from '../messages/script-writer.ts';
import { QuestionAnswerer, type SentAnswer } from './answer-questions.ts';
import type { Automation } from './open-automation.ts';
import { type AutomationPlan, type CallPlan, isShort, type QuestionPlan, type ReviewPlan } from './plan-automation.ts';

/** A decision about a step that was sent, and how it was answered; undefined when no answer came. */
export interface SentDecision {
  readonly approvalId: string;
  readonly approve: boolean;
  readonly status: number | undefined;
  /** What the answer says of the approval. */
  readonly said: string | undefined;
}

/** What people and strangers have done, and what they were answered. */
export interface AutomationWork {
  readonly plan: AutomationPlan;
  readonly automation: Automation;
  /** The run that each request to the webhook was answered with, try by try. */
  readonly calls: ReadonlyMap<CallPlan, readonly string[]>;
  readonly reviews: ReadonlyMap<ReviewPlan, string>;
  readonly decisions: readonly SentDecision[];
  readonly questions: ReadonlyMap<QuestionPlan, string>;
  readonly answers: readonly SentAnswer[];
  /** When the schedules were deactivated, in milliseconds since the epoch: no slot after it is due. */
  readonly stoppedAt: { readonly from: number; readonly to: number };
}

interface Working {
  readonly plan: AutomationPlan;
  readonly automation: Automation;
  readonly outside: Pick<Outside, 'asks'>;
  readonly gate: Gate;
  /** The messages of the run: what is done is spread evenly over them. */
  readonly turns: number;
  readonly random: Random;
}

interface ShownApproval {
  readonly id: string;
  readonly run_id: string | null;
  readonly status: string;
}

const POLL_MS = 250;
/** How long a question that is to expire waits, and another one. */
const WAITS_MS = { short: 30_000, long: 900_000 };
/** Requests to the webhook come in bursts of so many within a second. */
const BURST = 20;
/** How long people go on deciding once all runs were started. */
const DECIDE_LIMIT_MS = 300_000;

/**
 * Has strangers call a webhook, users start runs with steps and decide about them, while schedules fire. `settle` ends
 * that when the last fault is over.
 */
export class AutomationWorker {
  readonly #working: Working;
  readonly #client: InsistentClient;
  readonly #calls = new Map<CallPlan, string[]>();
  readonly #reviews = new Map<ReviewPlan, string>();
  readonly #plans = new Map<string, ReviewPlan>();
  readonly #decisions: SentDecision[] = [];
  readonly #decided = new Set<string>();
  readonly #questions = new Map<QuestionPlan, string>();
  readonly #answerer: QuestionAnswerer;
  #asking: Promise<unknown> = Promise.resolve();
  #deciding: Promise<unknown> = Promise.resolve();
  #isAsked = false;

  constructor(working: Working) {
    this.#working = working;
    this.#client = new InsistentClient(working.automation.apiUrl, working.random);
    this.#answerer = new QuestionAnswerer({ ...working, client: this.#client });
  }

  begin(): void {
    const asking = [this.#callAll(), this.#startAll(), this.#askAll()];
    this.#asking = Promise.all(asking).finally(() => (this.#isAsked = true));
    this.#deciding = Promise.all([this.#decideAll(), this.#answerer.answerAll(() => this.#isAsked)]);
  }

  /** Waits until all was asked and decided, and stops the schedules. */
  async settle(): Promise<AutomationWork> {
    const { plan, automation } = this.#working;
    await this.#asking;
    await this.#deciding;
    const from = Date.now();
    await Promise.all(
      [...automation.scheduleIds.values()].map(async (id) => this.#post(`/api/schedules/${id}/deactivate`, {})),
    );
    const stoppedAt = { from, to: Date.now() };
    return {
      plan,
      automation,
      calls: this.#calls,
      reviews: this.#reviews,
      decisions: this.#decisions,
      questions: this.#questions,
      answers: this.#answerer.sent,
      stoppedAt,
    };
  }

  async #callAll(): Promise<void> {
    const { calls } = this.#working.plan;
    const sent: Promise<void>[] = [];
    for (let at = 0; at < calls.length; at += BURST) {
      await this.#turnOf(at, calls.length);
      sent.push(...calls.slice(at, at + BURST).map(async (call) => this.#call(call)));
    }
    await Promise.all(sent);
  }

  async #call(call: CallPlan): Promise<void> {
    const { automation } = this.#working;
    const body = JSON.stringify({ content: call.turn.content });
    const headers = () => ({ ...signatureOf(body, automation.secret), 'x-delivery-id': call.deliveryId });
    for (let times = call.isRepeated ? 2 : 1; times > 0; times -= 1) {
      const path = `/api/workflows/${automation.callsId}/webhook`;
      const answer = await this.#client.ask({ method: 'POST', path, body, headers });
      if (answer?.status !== 202) continue;
      const { run_id: runId } = answer.json as { run_id: string };
      this.#calls.set(call, [...(this.#calls.get(call) ?? []), runId]);
    }
  }

  async #startAll(): Promise<void> {
    const { reviews } = this.#working.plan;
    for (const [at, review] of reviews.entries()) {
      await this.#turnOf(at, reviews.length);
      const { draft, review: middle, end, key } = review;
      const variables = { draft: draft.content, review: middle.content, end: end.content };
      const runId = await this.#start(this.#working.automation.reviewsId, key, variables);
      if (runId === undefined) continue;
      this.#reviews.set(review, runId);
      this.#plans.set(runId, review);
    }
  }

  async #askAll(): Promise<void> {
    const { plan, automation } = this.#working;
    for (const [at, question] of plan.questions.entries()) {
      await this.#turnOf(at, plan.questions.length);
      const deadline = Date.now() + (isShort(question) ? WAITS_MS.short : WAITS_MS.long);
      const blanks = { who: automation.people[question.asks].email, deadline: new Date(deadline).toISOString() };
      const variables = { content: fillIn(question.turn.content, blanks) };
      const runId = await this.#start(automation.questionsId, question.name, variables);
      if (runId === undefined) continue;
      this.#questions.set(question, runId);
      this.#answerer.expect({ plan: question, deadline });
    }
  }

  async #start(workflowId: string, key: string, variables: object): Promise<string | undefined> {
    const path = `/api/workflows/${workflowId}/trigger`;
    const answer = await this.#post(path, { variables }, { 'idempotency-key': key });
    return ((answer?.json ?? {}) as { run_id?: string }).run_id;
  }

  async #turnOf(at: number, all: number): Promise<void> {
    const { gate, turns } = this.#working;
    while (gate.entered < Math.floor((at * turns) / all)) await sleep(POLL_MS);
  }

  async #decideAll(): Promise<void> {
    let deadline = Number.POSITIVE_INFINITY;
    while (Date.now() < deadline) {
      if (this.#isAsked) deadline = Math.min(deadline, Date.now() + DECIDE_LIMIT_MS);
      const pending = await this.#get<readonly ShownApproval[]>('/api/approvals?status=pending&limit=100');
      await Promise.all((pending ?? []).map(async (approval) => this.#decide(approval)));
      if (this.#isAsked && this.#decided.size >= this.#reviews.size) return;
      await sleep(POLL_MS);
    }
  }

  async #decide({ id, run_id: runId }: ShownApproval): Promise<void> {
    const plan = this.#plans.get(runId ?? '');
    if (plan === undefined || this.#decided.has(id)) return;
    this.#decided.add(id);
    const { decision, edited, isContested } = plan;
    const edits = decision === 'edit' ? { arguments: { prompt: edited.content } } : {};
    const approve = decision !== 'deny';
    await Promise.all([
      this.#send(id, { approve, ...edits }),
      ...(isContested ? [this.#send(id, { approve: !approve })] : []),
    ]);
  }

  async #send(id: string, decision: { readonly approve: boolean }): Promise<void> {
    const answer = await this.#post(`/api/approvals/${id}/decision`, decision);
    const { status: said } = (answer?.json ?? {}) as { status?: string };
    this.#decisions.push({ approvalId: id, approve: decision.approve, status: answer?.status, said });
  }

  async #get<T>(path: string): Promise<T | undefined> {
    const answer = await this.#client.ask({ path, headers: () => this.#signIn() });
    return answer?.status === 200 ? (answer.json as T) : undefined;
  }

  async #post(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    return this.#client.ask({
      method: 'POST',
      path,
      body: JSON.stringify(body),
      headers: () => ({ ...this.#signIn(), ...headers }),
    });
  }

  #signIn(): Record<string, string> {
    return { authorization: `Bearer ${this.#working.automation.token}` };
  }
}

function signatureOf(body: string, secret: string): Record<string, string> {
  const time = Math.floor(Date.now() / 1_000);
  const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return { 'x-everturn-signature': `t=${time},v1=${digest}` };
}
