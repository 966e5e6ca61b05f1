import { createAgent, createChain, createChat, createProvider, registerUser } from '../../test/support/factories.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { findTestBwrap } from '../../test/support/find-test-bwrap.ts';
import { TestStack } from '../../test/support/test-stack.ts';
import type { ChaosOptions } from '../options.ts';
import { type CommandPlace, findCommandPlace } from './command-place.ts';
import { Outside } from './outside.ts';
import { AGENTS, FIRST_MODEL, SECOND_MODEL } from '../messages/script-writer.ts';
import { SpareWorker } from './spare-worker.ts';
import type { TaskChat } from '../work/add-tasks.ts';
import type { IssueProject } from '../work/work-on-issues.ts';
import type { Undo } from '../../test/support/undo.ts';
import { Valve } from '../../test/support/valve.ts';

/** A chat that messages are sent to, and who sends them. */
export interface ChaosChat {
  readonly index: number;
  readonly id: string;
  readonly orgId: string;
  readonly token: string;
  readonly apiUrl: string;
}

/** All that a run is made against. */
export interface Installation {
  readonly stack: TestStack;
  readonly spare: SpareWorker;
  /** Stands between Temporal and the spare worker. */
  readonly temporalValve: Valve;
  readonly outside: Outside;
  readonly chats: readonly ChaosChat[];
  /** One of each tenant, which no messages are sent to. */
  readonly taskChats: readonly TaskChat[];
  /** A project of the first tenant, which is kept in step with the code host both ways. */
  readonly issueProject: IssueProject | undefined;
  readonly commandPlace: CommandPlace;
}

const TOOLS = ['http_request', 'time_now', 'file_write', 'memory_manage', 'agent_spawn', 'shell_run', 'code_run'];
/** A sub-agent's work is short; more at once would only wait for each other on a small machine. */
const MAX_CONCURRENCY = 4;
const MAX_SUBAGENTS = 40;

/** Starts what `npm start` starts, a second worker and the world outside, and sets up the tenants. */
export async function startInstallation(options: ChaosOptions, undo: Undo): Promise<Installation> {
  const outside = await Outside.start(undo);
  const settings = await sandboxSettings();
  const stack = await TestStack.start({ privateHosts: outside.hosts, settings });
  undo.add(async () => stack.close());
  const temporalValve = await Valve.open(`tcp://127.0.0.1:${stack.ports.temporal}`);
  undo.add(() => temporalValve.close());
  const temporal = { TEMPORAL_ADDRESS: new URL(temporalValve.url).host, LOG_LEVEL: 'info' };
  const spare = new SpareWorker(() => ({ ...stack.workerEnvironment, ...settings, ...temporal }));
  undo.add(async () => spare.stop());
  const tenants = Array.from({ length: options.tenants }, async (_, at) =>
    startTenant(stack.url, outside, at, options),
  );
  const [started] = await Promise.all([Promise.all(tenants), spare.backUp()]);
  const commandPlace = await findCommandPlace(stack);
  const chats = started.flatMap((tenant) => tenant.chats).map((chat, index) => ({ ...chat, index }));
  const taskChats = started.map(({ taskChat }) => taskChat);
  const [first] = taskChats;
  const issueProject = first && options.issues > 0 ? await createProject(first, outside) : undefined;
  return { stack, spare, temporalValve, outside, chats, taskChats, issueProject, commandPlace };
}

async function sandboxSettings(): Promise<Record<string, string>> {
  const bwrap = await findTestBwrap();
  return 'path' in bwrap ? { SANDBOX_BWRAP: bwrap.path } : {};
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
