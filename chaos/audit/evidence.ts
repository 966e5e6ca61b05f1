import type { InFlight } from '../load/in-flight.ts';
import type { ChaosChat, CommandSandbox } from '../installation/installation.ts';
import { hashOf } from '../installation/model-reply.ts';
import type { OutsideFacts } from '../installation/outside.ts';
import type { SocketViewer } from '../load/socket-viewer.ts';
import type { StreamChat } from '../load/stream-chat.ts';
import { type MessagePlan, type PlannedTurn, withDescendants } from '../messages/turn-plan.ts';
import type { TaskPlan } from '../work/tasks.ts';
import type { CallFact, Facts, TurnFact } from './facts.ts';

/** The conversation: the messages that users sent, and what they saw. */
export interface Talk {
  readonly plans: readonly MessagePlan[];
  readonly chats: readonly ChaosChat[];
  readonly inFlight: InFlight;
  readonly viewers: readonly Pick<SocketViewer, 'chat' | 'journals'>[];
  readonly streams: readonly Pick<StreamChat, 'streamed'>[];
  /** Messages that got no answer in the time that a user waits, and those after them in their chats. */
  readonly unanswered: readonly MessagePlan[];
  readonly tasks: readonly TaskPlan[];
  /** The tasks that users saw stored, with their ids. */
  readonly addedTasks: ReadonlyMap<TaskPlan, string>;
}

/** A stored turn beside what was planned of it. */
export interface Matched {
  readonly turn: TurnFact;
  readonly planned: PlannedTurn;
  /** The message at the root of the tree. */
  readonly message: MessagePlan;
  readonly calls: readonly CallFact[];
}

/** What the turns have left in the outside world. */
type OutsideTraces = Pick<OutsideFacts, 'deliveries' | 'replies'>;

/** What was done to the parts, and what the turns have left everywhere. */
type Traces = Pick<Evidence, 'outside' | 'workerLosses' | 'hasFullDisk' | 'commandSandbox' | 'commandLines'>;

/** A stretch of time, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Everything that the promises are held against. */
export interface Evidence {
  readonly facts: Facts;
  /** The times at which a worker was killed or paused, so that its calls may have been lost. */
  readonly workerLosses: readonly Span[];
  /** Whether the disk of a worker was full meanwhile. */
  readonly hasFullDisk?: boolean;
  readonly outside: OutsideTraces;
  readonly commandSandbox: CommandSandbox;
  /** What shell commands have left in the workspaces. */
  readonly commandLines: readonly string[];
  readonly talk: Talk;
  /** Turns that a plan is known for, which should be all. */
  readonly matched: readonly Matched[];
  readonly byTurn: ReadonlyMap<string, Matched>;
  readonly unplanned: readonly TurnFact[];
}

/** Lays what is stored beside what was planned. */
export function collectEvidence(facts: Facts, talk: Talk, traces: Traces): Evidence {
  const planned = new Map<string, { planned: PlannedTurn; message: MessagePlan }>();
  for (const message of talk.plans) {
    for (const each of withDescendants(message.turn)) planned.set(hashOf(each.content), { planned: each, message });
  }
  for (const task of talk.tasks) {
    for (const each of task.turn.children.flatMap(withDescendants))
      planned.set(hashOf(each.content), { planned: each, message: asMessage(task) });
  }
  const calls = Map.groupBy(facts.calls, ({ turnId }) => turnId);
  const matched: Matched[] = [];
  const unplanned: TurnFact[] = [];
  for (const turn of facts.turns) {
    const plan = planned.get(hashOf(turn.questions[0]?.content ?? ''));
    if (plan === undefined) unplanned.push(turn);
    else matched.push({ turn, ...plan, calls: calls.get(turn.id) ?? [] });
  }
  const byTurn = new Map(matched.map((each) => [each.turn.id, each]));
  return { facts, ...traces, talk, matched, byTurn, unplanned };
}

// Sub-agents of tasks are held against the same promises as others; the tasks themselves against one of their own.
function asMessage({ title, turn }: TaskPlan): MessagePlan {
  return { index: -1, kind: title, chat: -1, messageId: title, turn, isTogether: false, interrupt: undefined };
}

/** Names the turn in the database and the message in the plan, for the report. */
export function nameOf({ turn, message }: Matched): string {
  return `turn ${turn.id} of message ${message.index} (${message.kind})`;
}
