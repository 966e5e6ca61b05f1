import { createAgent, createProvider, registerUser, type TestUser } from '../../../test/support/factories.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { quantile } from '../../figures/statistics.ts';
import { inDatabase } from '../../instance/in-database.ts';
import type { Instance } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { type Asker, atOnce, measureRequests, mediansOf } from '../../loads/request-rate.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { fillWithIssues, fillWithTasks, openChats } from './fill-project.ts';
import { measureSyncedProject } from './measure-synced-project.ts';

const ROUNDS = 5;
const ROUND_MS = 500;
/** Issues on a page of the filtered lists. */
const PAGE = 50;
/** Requests that add work, at the same time. */
const WIDTH = 16;
const ANSWER = '[[say done]]';
const END_LIMIT_MS = 120_000;
/** The share of the rate of plain turns that tasks are to reach. */
const SHARE = 0.9;

/**
 * Measures and prints the board, filtered lists of issues, how fast many tasks are worked on that are added at once,
 * how fast issues are taken over from a code host, and what a project adds to the first token.
 */
export async function measureWork(bench: Bench): Promise<SectionResult> {
  const targets = [
    ...(await measureLists(bench)),
    ...(await measureTasks(bench)),
    ...(await measureSyncedProject(bench)),
  ];
  return { targets };
}

async function measureLists({ instance, options }: Bench): Promise<Target[]> {
  const { boardTasks, listedIssues } = options;
  const board = await fillWithTasks(instance, boardTasks);
  const issues = await fillWithIssues(instance, listedIssues);
  const asker = (name: string, user: TestUser, path: string): Asker => ({
    name,
    user,
    path,
    figures: { singly: [], rates: [] },
  });
  const list = (name: string, filter: string) =>
    asker(name, issues.user, `/api/issues?project_id=${issues.id}&limit=${PAGE}&${filter}`);
  const whole = asker('the board', board.user, `/api/board?project_id=${board.id}`);
  const lists = [
    list('issues by status', 'status=todo'),
    list('issues by label', 'label=seldom'),
    list('issues by label and status', 'label=bug&status=done'),
    list('issues by assignee', `assigned_user_id=${issues.user.id}`),
    list('issues by a rare word', 'q=zebra'),
    list('issues by two frequent words', 'q=w100%20w117'),
  ];
  await measureRequests(instance.apiUrl, [whole, ...lists], { rounds: ROUNDS, roundMs: ROUND_MS });
  printHeading(
    `A board of ${boardTasks} tasks and lists of ${listedIssues} issues, ${PAGE} on a page: requests a second over 8 connections, and one at a time`,
  );
  printRows([['', 'requests/s', 'p50 ms'], ...[whole, ...lists].map(toRow)]);
  const slowest = Math.max(...lists.map((each) => mediansOf(each).ms));
  return [
    { name: `board of ${boardTasks} tasks, p50`, measured: mediansOf(whole).ms, bound: 15, better: 'less', unit: 'ms' },
    {
      name: `list of ${listedIssues} issues, the slowest filter, p50`,
      measured: slowest,
      bound: 10,
      better: 'less',
      unit: 'ms',
    },
  ];
}

function toRow(one: Asker): string[] {
  const { rate, ms } = mediansOf(one);
  return [one.name, figure(rate, 0), figure(ms, 2)];
}

/** Somebody with an agent, who adds many turns or tasks at once. */
interface Adder {
  readonly user: TestUser;
  readonly agentId: string;
}

async function measureTasks({ instance, options }: Bench): Promise<Target[]> {
  const { tasksAtOnce } = options;
  await new ModelControl(instance.model.url).followDirectives();
  const [plain, tasks]: [number[], number[]] = [[], []];
  // By turns, each in an organization of its own; the first round only warms up.
  for (let round = -1; round < ROUNDS; round += 1) {
    const rates = [await ratePlain(instance, tasksAtOnce), await rateTasks(instance, tasksAtOnce)] as const;
    if (round < 0) continue;
    plain.push(rates[0]);
    tasks.push(rates[1]);
  }
  const [plainRate, taskRate] = [quantile(plain, 0.5), quantile(tasks, 0.5)];
  printHeading(
    `${tasksAtOnce} at once, of one user: from the first that is stored to the last that has ended, ${ROUNDS} rounds`,
  );
  printRows([
    ['', 'p50 a second', 'least', 'most'],
    ['first messages of chats', ...rangeOf(plain)],
    ['tasks of one chat', ...rangeOf(tasks)],
  ]);
  const bound = Math.floor(plainRate * SHARE);
  const name = `tasks a second, ${tasksAtOnce} at once`;
  return [{ name, measured: taskRate, bound, better: 'more', unit: '/s', floor: plainRate }];
}

function rangeOf(rates: readonly number[]): string[] {
  return [quantile(rates, 0.5), Math.min(...rates), Math.max(...rates)].map((rate) => figure(rate));
}

async function ratePlain(instance: Instance, count: number): Promise<number> {
  const { user, agentId } = await openAdder(instance);
  const chats = await openChats(user, agentId, count);
  await atOnce(count, WIDTH, async (at) => {
    const response = await fetch(`${instance.apiUrl}/api/chats/${chats[at]}/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: ANSWER }),
    });
    if (response.status !== 200) throw new Error(`a message was answered ${response.status}`);
    await response.body?.cancel();
  });
  return rateOf(instance, user, count);
}

async function rateTasks(instance: Instance, count: number): Promise<number> {
  const { user, agentId } = await openAdder(instance);
  const [chatId] = await openChats(user, agentId, 1);
  await atOnce(count, WIDTH, async () => {
    const task = { chat_id: chatId, title: ANSWER, assigned_agent_id: agentId };
    const { status } = await user.client.post('/api/tasks', task);
    if (status !== 201) throw new Error(`a task was answered ${status}`);
  });
  return rateOf(instance, user, count);
}

async function openAdder({ apiUrl, model }: Instance): Promise<Adder> {
  const user = await registerUser(apiUrl);
  await createProvider(user.client, model.url);
  return { user, agentId: await createAgent(user.client) };
}

// By the times of the rows: asking for them takes part in no turn. Turns that only tell a result are waited for, and
// not counted.
async function rateOf(instance: Instance, { orgId }: TestUser, count: number): Promise<number> {
  return inDatabase(instance, async (client) => {
    const isDone = async () => {
      const { rows } = await client.query<{ open: string; ended: string; seconds: number }>(
        `select count(*) filter (where status in ('queued', 'running')) as open,
          count(*) filter (where status = 'completed' and not is_report) as ended,
          extract(epoch from max(ended_at) filter (where not is_report) - min(created_at))::float8 as seconds
        from turns where org_id = $1`,
        [orgId],
      );
      const [row] = rows;
      return row !== undefined && Number(row.open) === 0 && Number(row.ended) === count ? row.seconds : undefined;
    };
    return count / (await waitUntil(`${count} turns to end`, isDone, END_LIMIT_MS));
  });
}
