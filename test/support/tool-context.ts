import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createGuardedFetch } from '../../activities/core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../../activities/core/network/guarded-http.ts';
import { openRemotes } from '../../activities/git-remotes/open-remote.ts';
import { GoogleTokens } from '../../activities/core/google-tokens.ts';
import { AccountSignIn } from '../../activities/llm/sign-in.ts';
import { AccountUse } from '../../activities/llm/model-candidates.ts';
import { createEmbed } from '../../activities/llm/embed-texts.ts';
import { createMediaCall } from '../../activities/llm/media.ts';
import type { RunOptions, ToolArguments } from '../../activities/tools/tool.ts';
import type { RunnableCall, RunnableTool } from '../../activities/tools/runnable-tool.ts';
import { compute, type ComputeOptions } from '../../activities/tools/compute/compute.ts';
import type { FoundIntegration, OpenedIntegration, ToolContext } from '../../activities/tools/context.ts';
import { runLargeWork } from '../../activities/tools/operations/tool-context.ts';
import { chosenOf, type ServiceAccount, servicesOf } from '../../activities/tools/operations/services.ts';
import { connectionsOf } from '../../activities/tools/operations/connections/open-connections.ts';
import { pageVisits } from '../../activities/tools/operations/page-visits.ts';
import { commandRunner } from '../../activities/tools/operations/command-runner.ts';
import { runScript } from '../../activities/tools/script/script-run.ts';
import { userMedia } from '../../activities/tools/operations/media/user-media.ts';
import { agentKnowledge, agentMemories } from '../../activities/tools/operations/agent-records.ts';
import { userSchedules } from '../../activities/tools/operations/user-schedules.ts';
import { broadcasts, userTasks } from '../../activities/tools/operations/user-tasks.ts';
import { platformRecords } from '../../activities/tools/operations/platform/platform-records.ts';
import { userAgents, userTools } from '../../activities/tools/operations/platform/user-agents.ts';
import { userWorkflows } from '../../activities/tools/operations/platform/user-workflows.ts';
import { userIssues } from '../../activities/tools/operations/user-issues.ts';
import { ToolFailure } from '../../activities/tools/tool-failure.ts';
import { openWorkspace } from '../../activities/tools/workspace/open-workspace.ts';
import { type Browser, BrowserUnavailable } from '../../activities/sandbox/browser/browser.ts';
import { type Sandbox, SandboxUnavailable } from '../../activities/sandbox/sandbox.ts';
import type { Quota } from '../../activities/tools/workspace/quota.ts';
import type { Database } from '../../db/core/database.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { Definitions } from '../../db/definitions/definitions.ts';
import { ShippedDefinitions } from '../../domain/definitions/definition.ts';
import type { IntegrationKindKey } from '../../domain/integrations/kinds/index.ts';
import type { Settings } from '../../domain/integrations/integration-kind.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { type Policy, policyOf } from '../../domain/permissions/policy.ts';
import { computeInKept } from './compute-jobs.ts';
import { ownPayer } from './own-payer.ts';
import { TEST_SECRET_KEY } from './test-api.ts';

const silent = pino({ level: 'silent' });

/** Prepares a call; throws what is wrong with its arguments as a failure of the tool. */
export function prepareCall(tool: RunnableTool, args: ToolArguments): RunnableCall {
  const call = tool.prepare(args);
  if ('error' in call) throw new ToolFailure(call.error.kind, call.error.message);
  return call;
}

/** The environment of a tool in tests: a workspace of its own, and no database unless one is given. */
export interface TestTools {
  readonly context: ToolContext;
  /** The options for running calls in the same context. */
  readonly options: RunOptions;
  /** The memories of an agent. */
  readonly memoriesOf: (owner: MemoryOwner) => ToolContext['memories'];
  /** The knowledge bases of an agent. */
  readonly knowledgeOf: (owner: KnowledgeOwner) => ToolContext['knowledge'];
  /** The folder of the workspace; it is there after the first write. */
  readonly home: string;
  /** A folder beside the workspace, in which nothing may happen. */
  readonly outside: string;
  close(): Promise<void>;
}

/** An integration of the organization in tests. */
export interface TestIntegration extends OpenedIntegration {
  readonly kind?: IntegrationKindKey;
  readonly settings?: Settings;
}

interface KnowledgeOwner {
  readonly orgId: string;
  readonly agentId: string;
  readonly userId: string;
  readonly callId?: string;
}

interface MemoryOwner {
  readonly orgId: string;
  readonly agentId: string;
  readonly userId?: string;
  readonly callId?: string;
  /** The rights of the user that it works for; those of an owner unless given. */
  readonly policy?: Policy;
}

export async function createTestTools(
  options: {
    privateHosts?: string;
    database?: Database;
    quota?: Partial<Quota>;
    /** Where commands run; nowhere unless given. */
    sandbox?: Sandbox;
    /** Where pages are visited; nowhere unless given. */
    browser?: Pick<Browser, 'visit'>;
    hasForeignText?: boolean;
    /** Whether jobs are distributed over processes as by a worker; they share some unless given. */
    hasOwnProcesses?: boolean;
    /** The processor time of a script, and the limit of a calculation that has one; those of a worker unless given. */
    computingMs?: number;
    /** Whether an earlier attempt at the calls may have done what they do. */
    isRepeated?: boolean;
    /** The integrations of the organization, which may change. */
    integrations?: readonly TestIntegration[];
  } = {},
): Promise<TestTools> {
  const { sandbox = noSandbox(), browser = noBrowser(), database = noDatabase() } = options;
  const outside = await mkdtemp(join(tmpdir(), 'everturn-tools-'));
  const root = join(outside, 'workspaces');
  const [orgId, chatId] = [randomUUID(), randomUUID()];
  const privateHosts = parsePrivateHosts(options.privateHosts ?? '');
  const guarded = createGuardedFetch(privateHosts);
  const integrationsOfKind = (kinds: readonly IntegrationKindKey[]) =>
    (options.integrations ?? []).flatMap(({ kind, ...each }) =>
      kind !== undefined && kinds.includes(kind) ? [{ ...each, kind }] : [],
    );
  const http = createGuardedHttp(guarded.fetch);
  const openRemote = openRemotes({
    fetch: guarded.fetch,
    privateHosts,
    listIntegrations: async (kinds) => integrationsOfKind(kinds).map(asAccount),
  });
  const memoriesOf = (owner: MemoryOwner, signal: AbortSignal) =>
    agentMemories(
      database,
      { policy: policyOf('owner', []), userId: randomUUID(), callId: randomUUID(), ...owner },
      signal,
    );
  const own = { orgId, agentId: randomUUID(), callId: randomUUID() };
  const never = new AbortController().signal;
  const parts = {
    idempotencyKey: randomUUID(),
    hasForeignText: options.hasForeignText ?? false,
    isRepeated: options.isRepeated ?? false,
    isApproved: false,
    workspace: openWorkspace({ root, orgId, chatId, ...(options.quota && { quota: options.quota }) }),
    http,
    certificateExpiry: guarded.certificateExpiry,
  };
  const orgLimits = parseOrgLimits('');
  const { computingMs } = options;
  const computing = computingMs === undefined ? {} : { computingMs };
  const limited = (bounds: ComputeOptions = {}): ComputeOptions =>
    bounds.limitMs === undefined ? bounds : { ...bounds, limitMs: computingMs ?? bounds.limitMs };
  const limits = { firstByteMs: 100_000, idleMs: 100_000, totalMs: 100_000 };
  const signIns = new AccountSignIn(new GoogleTokens({ http }));
  const vectors = {
    box: new SecretBox([TEST_SECRET_KEY]),
    accountUse: new AccountUse(),
    embed: createEmbed(guarded.requestStream, limits, signIns),
    findPrice: () => undefined,
  };
  const knowledgeOf = (owner: KnowledgeOwner, signal: AbortSignal) =>
    agentKnowledge({ database, orgLimits, ...vectors }, { callId: randomUUID(), ...owner }, signal);
  const tasksFor = (signal: AbortSignal) =>
    userTasks({ database, orgLimits }, { ...own, userId: randomUUID(), policy: null, chatId, belowId: chatId }, signal);
  const contextFor = (signal: AbortSignal): ToolContext => ({
    ...parts,
    memories: memoriesOf(own, signal),
    findIntegration: async (wanted) => options.integrations?.filter(({ name }) => name === wanted).map(asFound)[0],
    findService: async (kinds, name) => asFound(chosenOf(integrationsOfKind(kinds), name, kinds)),
    openIntegrationOfKind: async (kinds) => integrationsOfKind(kinds)[0],
    openService: servicesOf({ ...parts, list: async (kinds) => integrationsOfKind(kinds).map(asAccount) }, signal),
    connections: connectionsOf({ sockets: guarded, http, signal }),
    knowledge: knowledgeOf({ ...own, userId: randomUUID() }, signal),
    openIntegration: async (wanted) => options.integrations?.find(({ name }) => name === wanted),
    issues: userIssues(
      { database, orgLimits: parseOrgLimits('') },
      { ...own, userId: randomUUID(), policy: null, chatId },
      signal,
    ),
    tasks: tasksFor(signal),
    schedules: userSchedules(
      { database, orgLimits: parseOrgLimits('') },
      { ...own, userId: randomUUID(), policy: null, chatId },
      signal,
    ),
    workflows: userWorkflows(
      { database, orgLimits: parseOrgLimits(''), approvalWaitMs: 0, log: silent },
      { ...own, userId: randomUUID(), policy: null, chatId },
      signal,
    ),
    agents: userAgents(
      {
        database,
        definitions: new Definitions(database, new ShippedDefinitions([])),
        orgLimits: parseOrgLimits(''),
        privateHosts,
      },
      { ...own, userId: randomUUID(), policy: null },
      signal,
    ),
    tools: userTools(
      {
        database,
        definitions: new Definitions(database, new ShippedDefinitions([])),
        orgLimits: parseOrgLimits(''),
      },
      { ...own, userId: randomUUID(), policy: null },
      signal,
    ),
    platform: platformRecords(
      {
        database,
        definitions: new Definitions(database, new ShippedDefinitions([])),
        orgId,
        userId: randomUUID(),
        policy: null,
      },
      signal,
    ),
    broadcasts: broadcasts(
      { database, tasks: tasksFor(signal) },
      { ...own, userId: randomUUID(), policy: null, chatId, belowId: chatId },
      signal,
    ),
    media: userMedia(
      {
        database,
        http: parts.http,
        callMedia: createMediaCall(guarded.fetch, signIns),
        ...vectors,
      },
      { orgId, userId: randomUUID(), policy: null, chatId, noteUsage: () => undefined },
      signal,
    ),
    skills: { list: async () => [], readFile: async () => undefined },
    runLargeWork: async (work) => runLargeWork(ownPayer(orgId), signal, work),
    compute: async (job, bounds) =>
      options.hasOwnProcesses === true
        ? compute(job, { payer: ownPayer(orgId), signal }, limited(bounds))
        : computeInKept(signal)(job, limited(bounds)),
    runScript: async (script, host) => runScript(script, host, { ...computing, payer: ownPayer(orgId), signal }),
    runCommand: commandRunner(sandbox, { ...parts, orgId, openRemote, signal }),
    visitPage: pageVisits(browser, { orgId, signal }),
    signal,
  });
  return {
    context: contextFor(never),
    options: { signal: never, contextFor },
    memoriesOf: (owner) => memoriesOf(owner, never),
    knowledgeOf: (owner) => knowledgeOf(owner, never),
    home: join(root, orgId, chatId),
    outside,
    close: async () => {
      await guarded.close();
      await rm(outside, { recursive: true, force: true });
    },
  };
}

function asFound({ secrets, kind = 'http', ...known }: TestIntegration): FoundIntegration {
  return { ...known, kind, connection: JSON.stringify([known.apiUrl, secrets]) };
}

function asAccount({
  secrets,
  renew = async (rejected) => rejected,
  ...known
}: TestIntegration & { readonly kind: IntegrationKindKey }): ServiceAccount {
  const openSecrets: ServiceAccount['openSecrets'] = async (rejected) =>
    rejected === undefined ? secrets : renew(rejected);
  return { settings: {}, ...known, openSecrets, noteUse: async () => {} };
}

function noSandbox(): Pick<Sandbox, 'run'> {
  return {
    run: async () => {
      throw new SandboxUnavailable('this test has no sandbox');
    },
  };
}

function noBrowser(): Pick<Browser, 'visit'> {
  return {
    visit: async () => {
      throw new BrowserUnavailable('this test has none');
    },
  };
}

function noDatabase(): Database {
  return new Proxy({} as Database, {
    get: () => {
      throw new Error('this test has no database');
    },
  });
}
