import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import { backOffMs, type Gate } from '../load/gate.ts';
import { type Reach, ScriptWriter } from '../messages/script-writer.ts';
import type { PlannedTurn } from '../messages/turn-plan.ts';

/** A chat that tasks are added to, the agent that works on them, and who adds them. */
export interface TaskChat {
  readonly id: string;
  readonly agentId: string;
  readonly token: string;
  readonly apiUrl: string;
}

/** How long a user waits for one request; a paused part may pause longer. */
const REQUEST_LIMIT_MS = 8_000;
/** How long a user insists on adding one task. */
const INSIST_MS = 300_000;
const POLL_MS = 50;

interface Adding {
  readonly chats: readonly TaskChat[];
  readonly gate: Gate;
  /** The messages of the run: the tasks are spread evenly over them. */
  readonly turns: number;
  readonly random: Random;
}

/** Has the users of each tenant add their tasks one after the other; returns the ids of those that were seen stored. */
export async function addTasks(plans: readonly TaskPlan[], adding: Adding): Promise<ReadonlyMap<TaskPlan, string>> {
  const ids = new Map<TaskPlan, string>();
  const ofTenant = async (chat: TaskChat, tenant: number) => {
    for (const plan of plans.filter((each) => each.tenant === tenant)) {
      const due = Math.floor((plan.index * adding.turns) / plans.length);
      while (adding.gate.entered < due) await sleep(POLL_MS);
      const dependsOn = plan.needs.flatMap((need) => ids.get(need) ?? []);
      const id = await insist(chat, plan, dependsOn, adding.random);
      if (id !== undefined) ids.set(plan, id);
    }
  };
  await Promise.all(adding.chats.map(ofTenant));
  return ids;
}

// An answer may be lost: what is there already is not added again.
async function insist(
  chat: TaskChat,
  plan: TaskPlan,
  dependsOn: readonly string[],
  random: Random,
): Promise<string | undefined> {
  const deadline = Date.now() + INSIST_MS;
  for (let failures = 0; Date.now() < deadline; failures += 1) {
    if (failures > 0) await sleep(backOffMs(random, failures));
    try {
      const known = failures === 0 ? undefined : await find(chat, plan);
      return known ?? (await add(chat, plan, dependsOn));
    } catch {
      // The service cannot be reached now.
    }
  }
  return undefined;
}

async function add(chat: TaskChat, { title, turn }: TaskPlan, dependsOn: readonly string[]): Promise<string> {
  const task = {
    chat_id: chat.id,
    title,
    description: turn.content,
    assigned_agent_id: chat.agentId,
    depends_on: dependsOn,
  };
  const answer = await call(chat, 'POST', '/api/tasks', task);
  if (answer.status !== 201) throw new Error(`the task was answered ${answer.status}`);
  return ((await answer.json()) as { id: string }).id;
}

async function find(chat: TaskChat, { title }: TaskPlan): Promise<string | undefined> {
  const answer = await call(chat, 'GET', `/api/tasks?chat_id=${chat.id}`);
  if (answer.status !== 200) throw new Error(`the tasks cannot be read now: ${answer.status}`);
  return ((await answer.json()) as { id: string; title: string }[]).find((task) => task.title === title)?.id;
}

async function call({ apiUrl, token }: TaskChat, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
}

/** A task that a user adds for an agent, and what must come of it. */
export interface TaskPlan {
  readonly index: number;
  /** The place among the tenants of whoever adds it. */
  readonly tenant: number;
  /** No two are alike. */
  readonly title: string;
  readonly turn: PlannedTurn;
  /** Tasks of the same tenant that must be completed before. */
  readonly needs: readonly TaskPlan[];
}

interface Wanted {
  readonly tasks: number;
  readonly tenants: number;
  readonly reach: Reach;
}

/** How many tasks before it one may depend on, and how far back they lie. */
const MOST_NEEDS = 2;
const RECENT = 4;
/** Far above the effects of messages. */
const FIRST_TOKEN = 1_000_000_000;

/** Returns all tasks of a run, in the order in which they are added. Two of three depend on others; some delegate. */
export function planTasks(random: Random, { tasks, tenants, reach }: Wanted): TaskPlan[] {
  const writer = new ScriptWriter(random, reach, FIRST_TOKEN);
  const plans: TaskPlan[] = [];
  for (let index = 0; index < tasks; index += 1) {
    const tenant = index % tenants;
    const before = plans.filter((plan) => plan.tenant === tenant).slice(-RECENT);
    const needs = before.filter(() => random.chance(0.4)).slice(-MOST_NEEDS);
    const title = `task ${index}`;
    const turn = random.chance(0.7) ? writer.plain(`k${index}`) : writer.tree(`k${index}`, [2]);
    plans.push({ index, tenant, title, turn, needs });
  }
  return plans;
}
