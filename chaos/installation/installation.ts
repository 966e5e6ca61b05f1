import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChain, createChat, createProvider, registerUser } from '../../test/support/factories.ts';
import { findTestBwrap } from '../../test/support/find-test-bwrap.ts';
import type { TestStack } from '../../test/support/test-stack.ts';
import type { Undo } from '../../test/support/undo.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import type { PlannedFault, Sighting, Surroundings } from '../faults/plan-faults.ts';
import { startMachines } from '../machines/start-machines.ts';
import { AGENTS, COMMAND_LOG, FIRST_MODEL, SECOND_MODEL, type SnippetLanguage } from '../messages/script-writer.ts';
import type { ChaosOptions } from '../options.ts';
import type { TaskChat } from '../work/tasks.ts';
import type { IssueProject } from '../work/work-on-issues.ts';
import { Outside } from './outside.ts';
import { startSupervisedParts } from './supervised-parts.ts';

/** A chat that messages are sent to, and who sends them. */
export interface ChaosChat {
  readonly index: number;
  readonly id: string;
  readonly orgId: string;
  readonly token: string;
  readonly apiUrl: string;
}

/** A database that is asked as somebody who sees every organization. */
export type Queried = Pick<TestStack, 'query'>;

/** The parts of the platform, however they were started, and what can be done to them. */
export interface Parts {
  readonly stack: Queried & Pick<TestStack, 'url'>;
  readonly temporalAddress: string;
  /** All that the workers have logged. */
  workerLog(): string;
  /** Injects a fault; resolves when what it hit is up again, to undefined for one that is aimed at no moment. */
  inject(fault: PlannedFault, surroundings: Surroundings): Promise<Sighting | undefined>;
}

/** All that a run is made against. */
export interface Installation extends Parts {
  readonly outside: Outside;
  readonly chats: readonly ChaosChat[];
  /** One of each tenant, which no messages are sent to. */
  readonly taskChats: readonly TaskChat[];
  /** A project of the first tenant, which is kept in step with the code host both ways. */
  readonly issueProject: IssueProject | undefined;
  readonly commandSandbox: CommandSandbox;
}

const TOOLS = ['http_request', 'time_now', 'file_write', 'memory_manage', 'agent_spawn', 'shell_run', 'code_run'];
/** A sub-agent's work is short; more at once would only wait for each other on a small machine. */
const MAX_CONCURRENCY = 4;
const MAX_SUBAGENTS = 40;

/** Starts the parts and the world outside, and sets up the tenants. */
export async function startInstallation(options: ChaosOptions, undo: Undo): Promise<Installation> {
  const outside = await Outside.start(undo);
  const { path: bwrap } = { path: undefined, ...(await findTestBwrap()) };
  const settings = bwrap === undefined ? {} : { SANDBOX_BWRAP: bwrap };
  const { workerMachines: workers } = options;
  const start = { outside, settings, undo };
  const parts = await (workers === undefined ? startSupervisedParts(start) : startMachines(start, workers));
  const { stack } = parts;
  const started = await Promise.all(
    Array.from({ length: options.tenants }, async (_, at) => startTenant(stack.url, outside, at, options)),
  );
  const commandSandbox = await findCommandSandbox(stack);
  const chats = started.flatMap((tenant) => tenant.chats).map((chat, index) => ({ ...chat, index }));
  const taskChats = started.map(({ taskChat }) => taskChat);
  const [first] = taskChats;
  const issueProject = first && options.issues > 0 ? await createProject(first, outside) : undefined;
  return { ...parts, outside, chats, taskChats, issueProject, commandSandbox };
}

const SECRET = 'the secret of the webhook';

async function createProject({ apiUrl, token }: TaskChat, { repoUrl }: Outside): Promise<IssueProject> {
  const repository = { repo_url: repoUrl, repo_type: 'github', sync_direction: 'both', webhook_secret: SECRET };
  const client = new ApiClient(apiUrl, token);
  const { status, json } = await client.post<{ id: string }>('/api/projects', { name: 'Website', ...repository });
  if (status !== 201) throw new Error(`the project was answered ${status}`);
  const webhookUrl = `${apiUrl}/api/integrations/github/webhook/${json.id}`;
  return { id: json.id, token, apiUrl, webhookUrl, secret: SECRET };
}

const STEPS = [{ provider_type: 'openai-compatible' }, { provider_type: 'vllm' }];

interface Tenant {
  readonly chats: readonly Omit<ChaosChat, 'index'>[];
  readonly taskChat: TaskChat;
}

async function startTenant(
  apiUrl: string,
  { modelUrl }: Outside,
  at: number,
  { chatsOfTenant }: ChaosOptions,
): Promise<Tenant> {
  const { client, orgId, accessToken: token } = await registerUser(apiUrl);
  const account = { cooldown_seconds: 1 };
  await createProvider(client, modelUrl, { ...account, model_name: FIRST_MODEL, name: 'First' });
  const second = { provider_type: 'vllm', model_name: SECOND_MODEL, name: 'Second' };
  await createProvider(client, modelUrl, { ...account, ...second });
  // The others take their accounts by age.
  if (at % 2 === 0) await createChain(client, { is_default: true, steps: STEPS });
  const bounds = { max_subagents: MAX_SUBAGENTS, max_concurrency: MAX_CONCURRENCY };
  const fields = { tools: TOOLS, requires_approval: { http_request: 'never', shell_run: 'never' }, ...bounds };
  const [lead = ''] = await Promise.all(AGENTS.map((name) => createAgent(client, { name, ...fields })));
  const ids = await Promise.all(Array.from({ length: chatsOfTenant }, () => createChat(client, lead)));
  return {
    chats: ids.map((id) => ({ id, orgId, token, apiUrl })),
    taskChat: { id: await createChat(client, lead), agentId: lead, token, apiUrl },
  };
}

/** What the parts are started with. */
export interface PartsOptions {
  readonly outside: Outside;
  /** Further settings of apis and workers. */
  readonly settings: Readonly<Record<string, string>>;
  readonly undo: Undo;
}

/** What the sandbox of the workers runs, or why it runs nothing. */
export type CommandSandbox =
  | { readonly isThere: true; readonly languages: readonly SnippetLanguage[] }
  | { readonly isThere: false; readonly reason: string };

const REPORT_LIMIT_MS = 60_000;
/** The folders of programs that commands see. */
const PROGRAM_FOLDERS = ['/usr/local/bin', '/usr/bin'];

/** Waits until a worker has told whether commands can be confined here. */
async function findCommandSandbox(stack: Queried): Promise<CommandSandbox> {
  const report = await waitUntil(
    'a worker to say whether commands can be confined',
    async () => (await stack.query<{ lacks: { sandbox?: string } }>('select lacks from workers limit 1'))[0],
    REPORT_LIMIT_MS,
  );
  const { sandbox: reason } = report.lacks;
  if (reason !== undefined) return { isThere: false, reason };
  const hasPython = PROGRAM_FOLDERS.some((folder) => existsSync(join(folder, 'python3')));
  return { isThere: true, languages: hasPython ? ['javascript', 'python'] : ['javascript'] };
}

/** Returns the lines that commands have left in all workspaces of an installation, as they are stored. */
export async function readCommandLines(stack: Queried): Promise<string[]> {
  const logs = await stack.query<{ content: Buffer }>(
    `select coalesce(c.content, (
        select string_agg(p.content, ''::bytea order by p.seq) from workspace_chunks p where p.content_id = c.id
      )) as content
      from workspace_entries e join workspace_contents c on c.id = e.content_id
      where e.part = 'files' and e.folder = '' and e.name = $1`,
    [COMMAND_LOG],
  );
  return logs.flatMap(({ content }) => content.toString().split('\n')).filter((line) => line !== '');
}
