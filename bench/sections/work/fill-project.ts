import { createAgent, createChat, registerUser, type TestUser } from '../../../test/support/factories.ts';
import type { Instance } from '../../instance/instance.ts';
import { inDatabase } from '../../instance/in-database.ts';
import { atOnce } from '../../loads/request-rate.ts';

/** A project, and who sees it. */
export interface FilledProject {
  readonly user: TestUser;
  readonly id: string;
}

const WIDTH = 8;
/** Words of a description. */
const WORDS = 40;
/** Of an issue in a hundred: what is searched for. */
const RARE_EVERY = 100;
const LABELS = ['bug', 'ui', 'docs', 'api', 'later'];

/** Fills a project by the api with so many tasks for people, in all statuses. */
export async function fillWithTasks(instance: Instance, tasks: number): Promise<FilledProject> {
  const { user, id } = await createProject(instance);
  const agentId = await createAgent(user.client);
  const { json: chat } = await user.client.post<{ id: string }>('/api/chats', { agent_id: agentId, project_id: id });
  await atOnce(tasks, WIDTH, async (at) => {
    const task = { chat_id: chat.id, title: `Task ${at}`, description: describe(at) };
    await add(user, '/api/tasks', task);
  });
  await inDatabase(instance, async (client) => {
    await client.query(
      `update tasks set status = (array['pending', 'in_progress', 'completed', 'failed', 'interrupted', 'cancelled'])[1 + n % 6]
        from (select id, row_number() over (order by id) as n from tasks where chat_id = $1) numbered
        where tasks.id = numbered.id`,
      [chat.id],
    );
    await client.query('vacuum (analyze) tasks, chats');
  });
  return { user, id };
}

/**
 * Fills a project by the api with so many issues in all statuses, with labels, and every other one with an assignee.
 */
export async function fillWithIssues(instance: Instance, issues: number): Promise<FilledProject> {
  const { user, id } = await createProject(instance);
  await atOnce(issues, WIDTH, async (at) => {
    const label = LABELS[at % LABELS.length] ?? '';
    await add(user, '/api/issues', {
      project_id: id,
      title: `Issue ${at}${at % RARE_EVERY === 0 ? ' zebra' : ''}`,
      description: describe(at),
      labels: at % 2 === 0 ? [label] : [label, 'seldom'],
      assigned_user_id: at % 2 === 0 ? user.id : null,
    });
  });
  await inDatabase(instance, async (client) => {
    await client.query(
      `update issues set status = (array['backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled'])[1 + number % 6]
        where project_id = $1`,
      [id],
    );
    await client.query('vacuum (analyze) issues, issue_labels, issue_words, projects');
  });
  return { user, id };
}

/** Opens so many chats of a user with an agent. */
export async function openChats(user: TestUser, agentId: string, chats: number): Promise<string[]> {
  const ids: string[] = [];
  await atOnce(chats, WIDTH, async () => void ids.push(await createChat(user.client, agentId)));
  return ids;
}

async function createProject({ apiUrl }: Instance): Promise<FilledProject> {
  const user = await registerUser(apiUrl);
  const { json } = await user.client.post<{ id: string }>('/api/projects', { name: 'Website' });
  return { user, id: json.id };
}

async function add(user: TestUser, path: string, record: object): Promise<void> {
  const { status } = await user.client.post(path, record);
  if (status !== 201) throw new Error(`POST ${path} answered ${status}`);
}

function describe(at: number): string {
  return Array.from({ length: WORDS }, (_, word) => `w${(at * 31 + word * 17) % 2_000}`).join(' ');
}
