import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ApiCall,
  githubComment,
  githubIssue,
  HostServer,
  type WorldComment,
  type WorldIssue,
} from '../test/support/code-hosts/index.ts';
import { Random } from '../test/support/random.ts';
import { between } from './random.ts';

/** What the people at the host begin with, and where it tells of what they do. */
export interface HostBeginning {
  readonly issues: number;
  readonly seed: number;
  readonly webhookUrl: string;
  readonly secret: string;
}

/** An issue as the host has it in the end. */
interface HostIssue {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
}

/** A request to change something. */
interface HostWrite {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** All that a code host has in the end, and what it was told. */
export interface HostFacts {
  readonly issues: readonly HostIssue[];
  readonly comments: readonly { readonly id: number; readonly issueNumber: number; readonly body: string }[];
  /** The requests to change something that took effect, whether or not they were answered. */
  readonly writes: readonly HostWrite[];
  readonly deliveries: readonly HostDelivery[];
}

/** How often something is done to the issues while faults go on. */
const EVERY_MS = 400;
/** The issues that are touched then, so that syncs have several pages to read. */
const TOUCHED_SHARE = 0.015;
/** A host takes a while for a page, in which it may be changed and parts may be killed. */
const LONGEST_ANSWER_MS = 400;

/**
 * A code host at which people work while it is read: they add, change, close and comment on issues between two pages of
 * a list, and its webhook tells of that repeatedly, out of order, or not at all. Some of its answers are errors, and
 * some do not arrive.
 */
export class HostLife {
  readonly #server: HostServer;
  readonly #writes: HostWrite[] = [];
  #random = new Random(0);
  #webhook: HostWebhook | undefined;
  #added = 0;
  #isLively = false;

  private constructor(server: HostServer) {
    this.#server = server;
    server.decide = async (call) => this.#decide(call);
  }

  static async start(): Promise<HostLife> {
    return new HostLife(await HostServer.start('github'));
  }

  get port(): number {
    return this.#server.port;
  }

  /** Adds the first issues, and has people work on them from now on. */
  begin({ issues, seed, webhookUrl, secret }: HostBeginning): void {
    this.#random = new Random(seed);
    this.#webhook = new HostWebhook({ url: webhookUrl, secret, random: new Random(seed + 1) });
    for (let n = 0; n < issues; n += 1) this.#server.world.addIssue({ title: `issue ${n}`, labels: ['bug'] });
    this.#isLively = true;
    void this.#live();
  }

  /** Ends the work of people, and resolves when every delivery that is not lost has been taken. */
  async calm(): Promise<void> {
    this.#isLively = false;
    await this.#webhook?.drain();
  }

  facts(): HostFacts {
    const { world } = this.#server;
    return {
      issues: world.issues.map(({ id, number, title, isOpen, labels }) => ({ id, number, title, isOpen, labels })),
      comments: world.comments.map(({ id, issueNumber, body }) => ({ id, issueNumber, body })),
      writes: this.#writes,
      deliveries: this.#webhook?.deliveries ?? [],
    };
  }

  async #live(): Promise<void> {
    while (this.#isLively) {
      this.#work();
      const { world } = this.#server;
      for (const issue of world.issues) if (this.#random.chance(TOUCHED_SHARE)) world.change(issue, {});
      await sleep(EVERY_MS);
    }
  }

  async #decide(call: ApiCall): Promise<'answered' | 'lost'> {
    const fate = this.#isLively ? await this.#disturb(call) : 'answered';
    if (call.method !== 'GET' && !call.response.writableEnded) this.#writes.push({ path: call.path, body: call.body });
    return fate;
  }

  async #disturb({ response }: ApiCall): Promise<'answered' | 'lost'> {
    const random = this.#random;
    await sleep(between(random, 0, LONGEST_ANSWER_MS));
    // Between two pages of a list, or a question and what follows from it.
    for (let times = random.below(3); times > 0; times -= 1) this.#work();
    if (random.chance(0.03)) response.writeHead(502).end();
    else if (random.chance(0.02)) response.writeHead(429, { 'Retry-After': '1' }).end();
    return random.chance(0.05) ? 'lost' : 'answered';
  }

  #work(): void {
    const { world } = this.#server;
    const random = this.#random;
    const issue = world.issues[random.below(world.issues.length)];
    if (issue === undefined) return;
    const mark = `${(this.#added += 1)}`;
    const what = random.below(10);
    if (what === 0) this.#notify('opened', world.addIssue({ title: `late ${mark}` }));
    else if (what < 3) this.#notifyComment(issue, world.addComment(issue.number, { body: `there ${mark}` }));
    else if (what < 5) this.#change(issue, { isOpen: !issue.isOpen, reason: issue.isOpen ? 'completed' : 'reopened' });
    else if (what < 7) this.#change(issue, { labels: [...issue.labels.slice(-5), `there-${mark}`] });
    else this.#change(issue, { title: `there ${mark}` });
  }

  #change(issue: WorldIssue, fields: Partial<WorldIssue>): void {
    this.#server.world.change(issue, fields);
    this.#notify('edited', issue);
  }

  #notify(action: string, issue: WorldIssue): void {
    const { world } = this.#server;
    this.#webhook?.notify('issues', { action, issue: githubIssue(world, issue), ...this.#repository() });
  }

  #notifyComment(issue: WorldIssue, comment: WorldComment): void {
    const { world } = this.#server;
    const payload = { issue: githubIssue(world, issue), comment: githubComment(world, comment) };
    this.#webhook?.notify('issue_comment', { action: 'created', ...payload, ...this.#repository() });
  }

  #repository() {
    const { repoId, path } = this.#server.world;
    return { repository: { id: repoId, full_name: path } };
  }
}

/** A delivery that a host has made, and what it was answered, try by try. */
interface HostDelivery {
  readonly id: string;
  /** Such as `accepted` and `repeated`; a status code for anything but success. */
  readonly answers: readonly string[];
}

interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly random: Random;
}

/** Deliveries that never leave the host, those that are made twice though they were taken, and how late one may be. */
const LOST = 0.15;
const REPEATED = 0.3;
const LATEST_MS = 3_000;
/** How long the host waits for an answer, and before it delivers once more. */
const ANSWER_LIMIT_MS = 8_000;
const PAUSE_MS = 500;
/** How many are on their way at a time. */
const MAX_OPEN = 20;

/** The webhook of a code host. It delivers each event until it is taken, some of them again, in any order, or never. */
class HostWebhook {
  readonly deliveries: HostDelivery[] = [];
  readonly #options: WebhookOptions;
  readonly #open = new Set<Promise<void>>();
  #calls = 0;
  #sending = 0;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Tells of an event, some time later. */
  notify(event: string, payload: object): void {
    const { random } = this.#options;
    if (random.chance(LOST)) return;
    // What it is about may be something else by the time that it arrives.
    const body = JSON.stringify(payload);
    const times = random.chance(REPEATED) ? 2 : 1;
    const delivering = this.#deliver({ event, body, times, lateMs: between(random, 0, LATEST_MS) });
    this.#open.add(delivering);
    void delivering.finally(() => this.#open.delete(delivering));
  }

  /** Resolves when all that it tells has been taken. */
  async drain(): Promise<void> {
    while (this.#open.size > 0) await Promise.race(this.#open);
  }

  async #deliver(delivery: { event: string; body: string; times: number; lateMs: number }): Promise<void> {
    const { event, body, times, lateMs } = delivery;
    const id = `delivery-${(this.#calls += 1)}`;
    const answers: string[] = [];
    this.deliveries.push({ id, answers });
    await sleep(lateMs);
    for (let taken = 0; taken < times;) {
      while (this.#sending >= MAX_OPEN) await sleep(PAUSE_MS);
      const answer = await this.#send(id, event, body);
      if (answer !== undefined) answers.push(answer.said);
      if (answer?.isTaken === true) taken += 1;
      else await sleep(PAUSE_MS);
    }
  }

  // Undefined when no answer has arrived.
  async #send(id: string, event: string, body: string) {
    const { url, secret } = this.#options;
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    this.#sending += 1;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-github-event': event,
          'x-github-delivery': id,
          'x-hub-signature-256': signature,
        },
        body,
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      if (answer.status !== 200) {
        await answer.body?.cancel();
        return { isTaken: false, said: String(answer.status) };
      }
      return { isTaken: true, said: ((await answer.json()) as { status: string }).status };
    } catch {
      return undefined;
    } finally {
      this.#sending -= 1;
    }
  }
}
