import { HostServer } from '../../../test/support/code-hosts/index.ts';
import {
  createAgent,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
} from '../../../test/support/factories.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { ChatClient } from '../../drivers/chat-client.ts';
import { addedMs, compareTurns, firstTokenMs } from '../../loads/timed-turn.ts';
import { latencyRow } from '../../loads/latency.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench } from '../../section.ts';

/** A difference of one millisecond is looked for in turns that vary by twenty. */
const TURNS_FACTOR = 4;
const SYNC_LIMIT_MS = 300_000;
const LABELS = ['bug', 'ui', 'docs', 'api', 'later'];
/** Words of an issue at the host. */
const WORDS = 40;

/** A project whose repository is at a host of this machine. */
interface HostedProject {
  readonly user: TestUser;
  readonly id: string;
}

interface Sync {
  readonly status: string;
  readonly created: number;
  readonly error: string | null;
  readonly started_at: string;
  readonly completed_at: string;
}

/**
 * Measures and prints how fast issues are taken over from a code host, and what being told of their project adds to the
 * first token of a turn.
 */
export async function measureSyncedProject(bench: Bench): Promise<Target[]> {
  const project = await openProject(bench);
  return [await measureSync(bench, project), await measureContext(bench, project)];
}

async function openProject({ instance, options, undo }: Bench): Promise<HostedProject> {
  const host = await HostServer.start('github');
  undo.add(() => host.close());
  for (let at = 0; at < options.listedIssues; at += 1) {
    const body = Array.from({ length: WORDS }, (_, word) => `w${(at * 31 + word * 17) % 2_000}`).join(' ');
    host.world.addIssue({ body, labels: [LABELS[at % LABELS.length] ?? ''] });
  }
  const user = await registerUser(instance.apiUrl);
  const project = { name: 'Website', repo_url: host.repoUrl, repo_type: 'github' };
  return { user, id: (await user.client.post<{ id: string }>('/api/projects', project)).json.id };
}

async function measureSync({ options }: Bench, { user, id }: HostedProject): Promise<Target> {
  const path = `/api/projects/${id}`;
  const { json: begun } = await user.client.post<{ id: string }>(`${path}/sync-issues`);
  const sync = await waitUntil(
    'the sync to end',
    async () => {
      const { json } = await user.client.get<Sync>(`${path}/syncs/${begun.id}`);
      if (json.status === 'failed') throw new Error(`the sync has failed: ${json.error}`);
      return json.status === 'completed' ? json : undefined;
    },
    SYNC_LIMIT_MS,
  );
  if (sync.created !== options.listedIssues) throw new Error(`the sync has added ${sync.created} issues`);
  const rate = (sync.created * 1_000) / (Date.parse(sync.completed_at) - Date.parse(sync.started_at));
  printHeading(`A sync of ${sync.created} issues from a code host on this machine: ${figure(rate, 0)} issues a second`);
  return { name: 'issues a second of a sync', measured: rate, bound: 500, better: 'more', unit: '/s' };
}

async function measureContext({ instance, options }: Bench, { user, id }: HostedProject): Promise<Target> {
  await createProvider(user.client, instance.model.url);
  const agentId = await createAgent(user.client);
  const { json: inProject } = await user.client.post<{ id: string }>('/api/chats', {
    agent_id: agentId,
    project_id: id,
  });
  const open = async (chatId: string) => ({
    user,
    id: chatId,
    client: await ChatClient.connect(instance.apiUrl, chatId, user.accessToken),
  });
  const chats = { plain: await open(await createChat(user.client, agentId)), other: await open(inProject.id) };
  const turns = await compareTurns(instance, chats, options.comparedTurns * TURNS_FACTOR);
  for (const { client } of Object.values(chats)) client.close();
  const added = addedMs(turns, firstTokenMs);
  printHeading(
    `First token in a chat without and with a project of ${options.listedIssues} issues, ${turns.plain.length} turns of each (ms)`,
  );
  printRows([
    ['', 'p50', 'p95'],
    latencyRow('without', turns.plain.map(firstTokenMs)),
    latencyRow('with', turns.other.map(firstTokenMs)),
    ['what it adds, median of the pairs', figure(added), ''],
  ]);
  return { name: 'what a project adds to the first token, p50', measured: added, bound: 1, better: 'less', unit: 'ms' };
}
