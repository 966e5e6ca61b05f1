import { setTimeout as sleep } from 'node:timers/promises';
import { buttonsOf, slackInteraction, slackSignature } from '../../test/support/fake-slack.ts';
import type { AskArrival } from '../installation/report-sinks.ts';
import type { Outside } from '../installation/outside.ts';
import type { InsistentClient } from '../load/insistent-client.ts';
import type { Automation, Person } from './open-automation.ts';
import { isShort, type QuestionPlan } from './plan-automation.ts';

/** A decision about a question that was sent, and how it was answered; undefined when no answer came. */
export interface SentAnswer {
  readonly name: string;
  readonly by: 'mail' | 'slack' | 'api';
  /** Who has sent it. */
  readonly userId: string;
  readonly approve: boolean;
  /** The answer to a question; null for a call. */
  readonly answer: string | null;
  readonly status: number | undefined;
}

/** A question that is under way. */
interface OpenQuestion {
  readonly plan: QuestionPlan;
  /** When those that are to expire do, in milliseconds since the epoch. */
  readonly deadline: number;
}

interface ShownApproval {
  readonly id: string;
}

interface Answering {
  readonly automation: Automation;
  readonly outside: Pick<Outside, 'asks'>;
  readonly client: InsistentClient;
}

const POLL_MS = 500;
/** How long after its deadline a question is answered too late. */
const TOO_LATE_MS = 1_000;
/** How long people go on answering once all was asked. */
const ANSWER_LIMIT_MS = 300_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Answers questions by what has arrived of them: the link of a mail, the buttons of a message, the list of the api. */
export class QuestionAnswerer {
  readonly sent: SentAnswer[] = [];
  readonly #answering: Answering;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #mails = new Map<string, AskArrival>();
  readonly #messages = new Map<string, AskArrival>();
  readonly #pending = new Map<string, string>();
  #arrivals = 0;

  constructor(answering: Answering) {
    this.#answering = answering;
  }

  /** Takes a question that was asked, unless nobody is to answer it. */
  expect(question: OpenQuestion): void {
    if (question.plan.way !== 'never') this.#open.set(question.plan.name, question);
  }

  /** Answers until all was asked and is answered. */
  async answerAll(isAsked: () => boolean): Promise<void> {
    let limit = Number.POSITIVE_INFINITY;
    while (Date.now() < limit) {
      if (isAsked()) limit = Math.min(limit, Date.now() + ANSWER_LIMIT_MS);
      await this.#poll();
      const due = [...this.#open.values()].filter((each) => this.#isDue(each));
      for (const { plan } of due) this.#open.delete(plan.name);
      await Promise.all(due.map(async ({ plan }) => this.#answer(plan)));
      if (isAsked() && this.#open.size === 0) return;
      await sleep(POLL_MS);
    }
  }

  async #poll(): Promise<void> {
    const { automation, outside, client } = this.#answering;
    const arrived = await outside.asks(this.#arrivals);
    this.#arrivals += arrived.length;
    for (const each of arrived.filter(({ isTaken }) => isTaken))
      (each.kind === 'email' ? this.#mails : this.#messages).set(each.name, each);
    if (this.#open.size === 0) return;
    for (const { token } of Object.values(automation.people)) {
      const headers = () => ({ authorization: `Bearer ${token}` });
      const answer = await client.ask({ path: '/api/approvals?status=pending&limit=100', headers, limitMs: 1 });
      if (answer?.status !== 200) continue;
      for (const approval of answer.json as readonly ShownApproval[]) {
        const name = /\bq\d+\b/.exec(JSON.stringify(approval))?.[0];
        if (name !== undefined) this.#pending.set(name, approval.id);
      }
    }
  }

  #isDue({ plan, deadline }: OpenQuestion): boolean {
    if (isShort(plan)) return Date.now() > deadline + TOO_LATE_MS;
    const known = { mail: this.#mails, slack: this.#messages, api: this.#pending };
    return waysOf(plan).every((way) => known[way].has(plan.name));
  }

  // All in the same instant.
  async #answer(plan: QuestionPlan): Promise<void> {
    const { people } = this.#answering.automation;
    const sending = waysOf(plan).map(async (by) => this.#send(plan, people[plan.asks], by));
    if (plan.way === 'all') {
      const stranger = people[plan.asks === 'owner' ? 'colleague' : 'owner'];
      sending.push(this.#send(plan, stranger, 'slack'), this.#send(plan, stranger, 'api'));
    }
    await Promise.all(sending);
  }

  async #send(plan: QuestionPlan, person: Person, by: SentAnswer['by']): Promise<void> {
    const { automation, client } = this.#answering;
    const { name, kind, asks, way } = plan;
    const end = person === automation.people[asks] ? by : 'stranger';
    const approve = kind === 'question' || (way === 'all' && by === 'slack' ? !plan.approve : plan.approve);
    const wanted = { name, by, userId: person.id, approve, answer: kind === 'question' ? `${name}-${end}` : null };
    const request = this.#requestOf(wanted, person);
    if (request === undefined) return;
    for (let times = plan.isRepeated ? 2 : 1; times > 0; times -= 1) {
      const answer = await client.ask({ method: 'POST', ...request });
      this.sent.push({ ...wanted, status: answer?.status });
    }
  }

  // Nothing to send where it has not arrived by that way.
  #requestOf({ name, by, approve, answer }: Omit<SentAnswer, 'status'>, person: Person) {
    if (by === 'slack') return this.#buttonOf(name, answer ?? (approve ? 'Approve' : 'Deny'), person);
    const given = answer !== null && { answer };
    const [token, id] = [this.#mails.get(name)?.token, this.#pending.get(name)];
    if (by === 'mail' && token !== undefined) {
      const form = { token, decision: approve ? 'approve' : 'deny', ...given };
      return { path: '/decide', body: String(new URLSearchParams(form)), headers: () => FORM };
    }
    if (by === 'mail' || id === undefined) return undefined;
    const headers = () => ({ authorization: `Bearer ${person.token}` });
    return { path: `/api/approvals/${id}/decision`, body: JSON.stringify({ approve, ...given }), headers };
  }

  #buttonOf(name: string, label: string, { slackId: user }: Person) {
    const { secret, channelId } = this.#answering.automation;
    const { message } = this.#messages.get(name) ?? {};
    const button = message && buttonsOf(message).get(label);
    if (message === undefined || button === undefined) return undefined;
    const body = slackInteraction(message, button, { user });
    const headers = () => ({ ...FORM, ...slackSignature(body, secret) });
    return { path: `/api/channels/${channelId}/events`, body, headers };
  }
}

function waysOf({ way }: QuestionPlan): readonly SentAnswer['by'][] {
  return way === 'mail' || way === 'slack' || way === 'api' ? [way] : ['mail', 'slack', 'api'];
}
