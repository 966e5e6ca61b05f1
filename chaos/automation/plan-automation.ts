import type { Random } from '../../test/support/random.ts';
import { weighted } from '../random.ts';
import { ScriptWriter } from '../messages/script-writer.ts';
import type { PlannedTurn } from '../messages/turn-plan.ts';

/** A request to the webhook of a workflow, and what must come of it. */
export interface CallPlan {
  readonly index: number;
  /** What the sender calls the request. */
  readonly deliveryId: string;
  readonly turn: PlannedTurn;
  /** Whether it is sent again though it was answered. */
  readonly isRepeated: boolean;
}

/** What a person decides about a step. */
export type StepDecision = 'approve' | 'edit' | 'deny';

/** A run of the workflow with steps: a draft, a step that waits for a person, and an end. */
export interface ReviewPlan {
  readonly index: number;
  /** The `Idempotency-Key` of the request that starts it. */
  readonly key: string;
  readonly draft: PlannedTurn;
  readonly review: PlannedTurn;
  /** What is sent instead of `review` where it is edited. */
  readonly edited: PlannedTurn;
  readonly end: PlannedTurn;
  readonly decision: StepDecision;
  /** Whether somebody else decides otherwise in the same instant. */
  readonly isContested: boolean;
}

/** How a question is decided: by one way, by all in the same instant, by all after its deadline, or not at all. */
export type QuestionWay = 'mail' | 'slack' | 'api' | 'all' | 'late' | 'never';

/** A run whose agent asks a person, or makes a call that a person has to approve. */
export interface QuestionPlan {
  readonly index: number;
  /** What mails, messages and calls of it contain. */
  readonly name: string;
  readonly turn: PlannedTurn;
  readonly kind: 'question' | 'call';
  /** Who decides. */
  readonly asks: 'owner' | 'colleague';
  readonly way: QuestionWay;
  /** Whether a call is approved; where all ways are used, Slack says the opposite. */
  readonly approve: boolean;
  /** Whether each decision is sent twice. */
  readonly isRepeated: boolean;
}

/** Returns whether a question is to expire. */
export function isShort({ way }: QuestionPlan): boolean {
  return way === 'late' || way === 'never';
}

export type SlotOverlap = 'allow_all' | 'skip' | 'buffer_one' | 'cancel_other';

/** A schedule of each minute. */
export interface SchedulePlan {
  readonly name: string;
  readonly overlap: SlotOverlap;
  /** Its place in the minute, in seconds. */
  readonly second: number;
  readonly turn: PlannedTurn;
}

/** What automation does in a run. */
export interface AutomationPlan {
  readonly calls: readonly CallPlan[];
  readonly reviews: readonly ReviewPlan[];
  readonly questions: readonly QuestionPlan[];
  readonly schedules: readonly SchedulePlan[];
}

/** The frequency of each kind of run that is asked for. */
const RUNS = { review: 25, question: 25, call: 50 };
/** How questions are decided; calls, for which people have days, are decided in time. */
const WAYS = { mail: 20, slack: 20, api: 10, all: 25, late: 15, never: 10 };
const WAYS_OF_CALLS = { mail: 30, slack: 30, api: 10, all: 30 };
/** The share of questions which are approvals of calls. */
const CALLS = 0.3;
/** The share of the requests to the webhook whose work is given to an agent of another platform. */
const REMOTE = 0.3;
const REPEATED = 0.3;
const CONTESTED = 0.3;
/** One schedule for so many runs, and at most so many: together they have a slot every other second. */
const RUNS_OF_SCHEDULE = 5;
const MOST_SCHEDULES = 30;
/** Far above the effects of messages and tasks. */
const FIRST_TOKEN = 2_000_000_000;

/** Plans so many runs that are asked for, and beside them the schedules. */
export function planAutomation(random: Random, runs: number, sinkUrl: string): AutomationPlan {
  const writer = new ScriptWriter(random, { sinkUrl }, FIRST_TOKEN);
  const plan = {
    calls: [] as CallPlan[],
    reviews: [] as ReviewPlan[],
    questions: [] as QuestionPlan[],
    schedules: [] as SchedulePlan[],
  };
  for (let index = 0; index < runs; index += 1) {
    const kind = weighted(random, RUNS);
    if (kind === 'review') plan.reviews.push(planReview(random, writer, index));
    else if (kind === 'question') plan.questions.push(planQuestion(random, writer, index));
    else
      plan.calls.push({
        index,
        deliveryId: `call-${index}`,
        turn: random.chance(REMOTE) ? writer.remote(`w${index}`) : writer.plain(`w${index}`),
        isRepeated: random.chance(REPEATED),
      });
  }
  const schedules = Math.min(MOST_SCHEDULES, Math.ceil(runs / RUNS_OF_SCHEDULE));
  for (let at = 0; at < schedules; at += 1) {
    const name = `schedule ${at}`;
    const second = Math.floor((at * 60) / schedules);
    plan.schedules.push({ name, second, overlap: overlapOf(at), turn: writer.plain(`c${at}`) });
  }
  return plan;
}

function planReview(random: Random, writer: ScriptWriter, index: number): ReviewPlan {
  const name = `v${index}`;
  const dice = random.below(10);
  return {
    index,
    key: `review-${index}`,
    draft: writer.plain(`${name}d`),
    review: writer.plain(`${name}r`),
    edited: writer.plain(`${name}e`),
    end: writer.plain(`${name}z`),
    decision: dice < 5 ? 'approve' : dice < 8 ? 'edit' : 'deny',
    isContested: random.chance(CONTESTED),
  };
}

function planQuestion(random: Random, writer: ScriptWriter, index: number): QuestionPlan {
  const name = `q${index}`;
  const isCall = random.chance(CALLS);
  return {
    index,
    name,
    turn: isCall ? writer.approval(name) : writer.question(name),
    kind: isCall ? 'call' : 'question',
    asks: isCall || random.chance(0.5) ? 'owner' : 'colleague',
    way: isCall ? weighted(random, WAYS_OF_CALLS) : weighted(random, WAYS),
    approve: random.chance(0.6),
    isRepeated: random.chance(REPEATED),
  };
}

// Half of them yield a run for every slot, whatever else is open.
function overlapOf(at: number): SlotOverlap {
  if (at % 2 === 0) return 'allow_all';
  return (['skip', 'buffer_one', 'cancel_other'] as const)[(at >> 1) % 3] ?? 'skip';
}
