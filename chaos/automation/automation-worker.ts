import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import { backOffMs, type Gate } from '../load/gate.ts';
import type { Automation } from './open-automation.ts';
import type { AutomationPlan, CallPlan, ReviewPlan } from './plan-automation.ts';

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
  /** When the schedules were deactivated, in milliseconds since the epoch: no slot after it is due. */
  readonly stoppedAt: { readonly from: number; readonly to: number };
}

interface Working {
  readonly plan: AutomationPlan;
  readonly automation: Automation;
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
  #asking: Promise<unknown> = Promise.resolve();
  #deciding: Promise<void> = Promise.resolve();
  #isAsked = false;

  constructor(working: Working) {
    this.#working = working;
    this.#client = new InsistentClient(working.automation.apiUrl, working.random);
  }

  begin(): void {
    this.#asking = Promise.all([this.#callAll(), this.#startAll()]).finally(() => (this.#isAsked = true));
    this.#deciding = this.#decideAll();
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
    return { plan, automation, calls: this.#calls, reviews: this.#reviews, decisions: this.#decisions, stoppedAt };
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
      const path = `/api/workflows/${this.#working.automation.reviewsId}/trigger`;
      const answer = await this.#post(path, { variables }, { 'idempotency-key': key });
      const { run_id: runId } = (answer?.json ?? {}) as { run_id?: string };
      if (runId === undefined) continue;
      this.#reviews.set(review, runId);
      this.#plans.set(runId, review);
    }
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

const REQUEST_LIMIT_MS = 8_000;
const INSIST_MS = 300_000;

/** A request of a user or a stranger. */
interface InsistentRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  /** The body as it is sent. */
  readonly body?: string;
  /** Called for each try, because signatures hold the time. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** How long it is tried, in milliseconds. */
  readonly limitMs?: number;
}

/** An answer that is no failure of the service. */
interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** Sends requests until the service answers them: with a refusal, too, but not with a failure of its own. */
class InsistentClient {
  readonly #apiUrl: string;
  readonly #random: Random;

  constructor(apiUrl: string, random: Random) {
    this.#apiUrl = apiUrl;
    this.#random = random;
  }

  /** Returns the first answer; undefined when there was none in time. */
  async ask({
    method = 'GET',
    path,
    body,
    headers,
    limitMs = INSIST_MS,
  }: InsistentRequest): Promise<Answer | undefined> {
    const deadline = Date.now() + limitMs;
    for (let failures = 0; Date.now() < deadline; failures += 1) {
      if (failures > 0) await sleep(backOffMs(this.#random, failures));
      try {
        const answer = await fetch(`${this.#apiUrl}${path}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers?.() },
          ...(body !== undefined && { body }),
          signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
        });
        const json: unknown = await answer.json();
        if (answer.status < 500 && answer.status !== 429) return { status: answer.status, json };
      } catch {
        // The service cannot be reached now, or the answer was lost.
      }
    }
    return undefined;
  }
}
