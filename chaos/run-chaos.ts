import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../test/support/random.ts';
import { audit } from './audit/index.ts';
import { AutomationWorker } from './automation/automation-worker.ts';
import { openAutomation } from './automation/open-automation.ts';
import { planAutomation } from './automation/plan-automation.ts';
import { FaultDriver } from './faults/fault-driver.ts';
import { InFlight } from './load/in-flight.ts';
import { Gate } from './load/gate.ts';
import { type ChaosChat, type Installation, startInstallation } from './installation/installation.ts';
import type { ChaosOptions } from './options.ts';
import { PART_FAULTS, planFaults } from './faults/plan-faults.ts';
import { planMessages } from './messages/plan-messages.ts';
import { printReport } from './report.ts';
import { SocketChat } from './load/socket-chat.ts';
import { SocketViewer } from './load/socket-viewer.ts';
import { StreamChat } from './load/stream-chat.ts';
import { addTasks, planTasks } from './work/tasks.ts';
import { IssueWorker } from './work/work-on-issues.ts';
import type { MessagePlan } from './messages/turn-plan.ts';
import type { Undo } from '../test/support/undo.ts';

interface Surroundings {
  /** Gets what has to be taken down. */
  readonly undo: Undo;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** The longest wait for the answers of messages that were sent together, faults included. */
const ANSWER_LIMIT_MS = 300_000;
/** The time that the promise allows open turns after the last fault. */
const SETTLE_LIMIT_MS = 120_000;
/** Every fourth chat is used over server-sent events. */
const STREAM_EVERY = 4;
const POLL_MS = 250;

/** A chat's sender. */
interface Sender {
  run(volley: readonly MessagePlan[], limitMs: number): Promise<boolean>;
}

/** The users of a run. */
interface Users {
  readonly viewers: readonly SocketViewer[];
  readonly streams: readonly StreamChat[];
  readonly senders: readonly Sender[];
}

/** Makes a run, audits it and prints the outcome. True when every promise was kept. */
export async function runChaos(options: ChaosOptions, { undo, signal, print }: Surroundings): Promise<boolean> {
  const { turns, faults, tasks, issues, runs, tenants, seed } = options;
  const startedAt = Date.now();
  print(`chaos: ${turns} turns, ${tasks} tasks, ${issues} issues, ${runs} runs, ${faults} faults, seed ${seed}`);
  const installation = await startInstallation(options, undo);
  signal.throwIfAborted();
  const { chats, outside, taskChats, commandSandbox } = installation;
  const languages = commandSandbox.isThere ? commandSandbox.languages : undefined;
  const reach = { sinkUrl: outside.sinkUrl, languages };
  const plans = planMessages(new Random(seed), { turns, chats: chats.length, reach });
  const taskPlans = planTasks(new Random(seed + 2), { tasks, tenants, reach });
  const inFlight = new InFlight();
  const users = openChats(chats, seed, inFlight);
  undo.add(async () => void (await Promise.all(users.viewers.map((viewer) => viewer.stop()))));

  const gate = new Gate(options.openTurns);
  const clients = [...users.viewers, ...users.streams];
  const driver = new FaultDriver({ ...options, installation, inFlight, gate, clients, signal, say: print });
  const stuck = talkInAll(users.senders, plans, gate);
  // What else users do meanwhile has its place beside the tasks.
  const adding = addTasks(taskPlans, { chats: taskChats, gate, turns, random: new Random(seed + 3) });
  const issueWorker = await beginIssues(installation, gate, options);
  const automationWorker = await beginAutomation(installation, gate, options);
  await driver.run(planFaults(new Random(seed + 1), options));
  const healedAt = Date.now();
  print(
    `the last fault is over ${((healedAt - startedAt) / 1000).toFixed(1)} s after the start, ${inFlight.openCount} turns open`,
  );
  const [unanswered, addedTasks] = await Promise.all([stuck, adding]);
  const issueWork = await issueWorker?.settle();
  const automationWork = await automationWorker?.settle();
  await settle(installation);
  await letViewersCatchUp(users.viewers);

  const talk = {
    plans,
    chats,
    inFlight,
    viewers: users.viewers,
    streams: users.streams,
    unanswered,
    tasks: taskPlans,
    addedTasks,
  };
  const result = await audit({
    installation,
    talk,
    issueWork,
    automationWork,
    workerLosses: driver.workerLosses,
    healedAt,
    injected: new Set(driver.injected.map(({ kind }) => kind)),
    replays: options.replays,
  });
  return printReport(print, {
    result,
    talk,
    injected: driver.injected,
    kinds: options.kinds ?? PART_FAULTS,
    wallMs: Date.now() - startedAt,
    turnsPerSecond: inFlight.turnsPerSecond,
  });
}

async function beginIssues(
  { issueProject: project, outside }: Installation,
  gate: Gate,
  { issues, turns, seed }: ChaosOptions,
): Promise<IssueWorker | undefined> {
  if (project === undefined) return undefined;
  const worker = new IssueWorker({
    project,
    outside,
    issues,
    gate,
    turns,
    random: new Random(seed + 4),
    seed: seed + 5,
  });
  await worker.begin();
  return worker;
}

async function beginAutomation(
  { stack, outside }: Installation,
  gate: Gate,
  { runs, turns, seed }: ChaosOptions,
): Promise<AutomationWorker | undefined> {
  if (runs === 0) return undefined;
  const plan = planAutomation(new Random(seed + 6), runs, outside.sinkUrl);
  const automation = await openAutomation(stack.url, outside, plan.schedules);
  const worker = new AutomationWorker({ plan, automation, outside, gate, turns, random: new Random(seed + 7) });
  worker.begin();
  return worker;
}

function openChats(chats: readonly ChaosChat[], seed: number, inFlight: InFlight): Users {
  const viewers: SocketViewer[] = [];
  const streams: StreamChat[] = [];
  const senders = chats.map((chat, at): Sender => {
    const random = new Random(seed + 1_000 + at);
    if (at % STREAM_EVERY === STREAM_EVERY - 1) {
      const stream = new StreamChat(chat, random, inFlight);
      streams.push(stream);
      return stream;
    }
    const viewer = new SocketViewer(chat, random, inFlight);
    viewers.push(viewer);
    return new SocketChat(viewer, inFlight);
  });
  // Some chats are looked at by somebody else too, those over server-sent events among them.
  for (const [at, chat] of chats.entries()) {
    if (at % 3 === 0) viewers.push(new SocketViewer(chat, new Random(seed + 2_000 + at), inFlight));
  }
  return { viewers, streams, senders };
}

// Returns the messages that stayed without an answer.
async function talkInAll(
  senders: readonly Sender[],
  plans: readonly MessagePlan[],
  gate: Gate,
): Promise<MessagePlan[]> {
  const left = await Promise.all(
    senders.map(async (sender, chat) => talk(sender, volleysOf(plans.filter((plan) => plan.chat === chat)), gate)),
  );
  return left.flat();
}

async function talk(sender: Sender, volleys: readonly MessagePlan[][], gate: Gate): Promise<MessagePlan[]> {
  for (const [at, volley] of volleys.entries()) {
    await gate.pass(volley[0]?.index ?? 0, volley.length);
    const isDone = await sender.run(volley, ANSWER_LIMIT_MS);
    gate.leave();
    // The rest of the chat would wait as long again.
    if (!isDone) return volleys.slice(at).flat();
  }
  return [];
}

function volleysOf(plans: readonly MessagePlan[]): MessagePlan[][] {
  const volleys: MessagePlan[][] = [];
  for (const plan of plans) {
    const last = volleys.at(-1);
    if (plan.isTogether && last !== undefined && last.length < 3) last.push(plan);
    else volleys.push([plan]);
  }
  return volleys;
}

// Waits until nothing is open any more, or the time is over that the promise allows.
async function settle({ stack }: Installation): Promise<void> {
  const deadline = Date.now() + SETTLE_LIMIT_MS;
  while (Date.now() < deadline) {
    const open = await stack
      .query(
        `select id from turns where status in ('queued', 'running')
          union all select id from tasks where status in ('pending', 'in_progress')
          union all select id from issue_pushes where error is null
          union all select id from workflow_runs where completed_at is null
          union all select id from webhook_deliveries where status = 'pending' limit 1`,
      )
      .catch(() => undefined);
    if (open?.length === 0) return;
    await sleep(POLL_MS);
  }
}

const CATCH_UP_LIMIT_MS = 10_000;

async function letViewersCatchUp(viewers: readonly SocketViewer[]): Promise<void> {
  const deadline = Date.now() + CATCH_UP_LIMIT_MS;
  const isBehind = ({ journal }: SocketViewer) =>
    journal === undefined || journal.current.text !== '' || journal.current.started.length > 0;
  while (viewers.some(isBehind) && Date.now() < deadline) await sleep(POLL_MS);
}
