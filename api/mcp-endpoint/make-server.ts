import { z } from 'zod';
import { listChatModels } from '../../db/agents/find-agents.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { callDigestOf, defineServedTool, type ServedCall, type ServedTool, READS } from './served-tool.ts';
import { askAgentTool, getTurnTool, interruptTurnTool } from './tools/turn-tools.ts';
import { getWorkflowRunTool, listWorkflowsTool, startWorkflowTool } from './tools/workflow-tools.ts';
import { nameOfCall } from '../context/waiting-calls.ts';
import type { CallToolResult, McpRequestContext, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { namedFields, namedIds } from '../../domain/audit.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { auditedCaller, DENIED } from '../auditing/audited-caller.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { internalProblem, type Problem, problemOf } from '../http/problem.ts';
import { describeIssue } from '../http/replies/failure-form.ts';
import type { SseReply } from '../http/sse-reply.ts';

/** Lists the agents that the caller may write to. */
const listAgentsTool = defineServedTool({
  name: 'list_agents',
  title: 'List agents',
  description: 'Lists the agents that can be asked, by name. Where two have a name, give ask_agent the id.',
  resource: 'agents',
  action: 'view',
  access: 'agents.view',
  input: z.strictObject({}),
  output: z.object({ agents: z.array(z.object({ id: z.uuid(), name: z.string(), description: z.string() })) }),
  annotations: READS,
  run: async (_args, { caller: { orgId, policy }, context: { database } }) => {
    const agents = await listChatModels(database, orgId, { allowedIds: allowedIds(policy, 'agentIds') });
    return { data: { agents: agents.map(({ id, name, description }) => ({ id, name, description })) } };
  },
});

/** The tools of MCP clients, in the order in which they are listed. */
const servedTools: readonly ServedTool[] = [
  listAgentsTool,
  askAgentTool,
  getTurnTool,
  interruptTurnTool,
  listWorkflowsTool,
  startWorkflowTool,
  getWorkflowRunTool,
];

/** The sender of a message, and how to answer it. */
export interface Exchange {
  readonly caller: OrgCaller;
  readonly context: ApiContext;
  readonly ip: string;
  readonly session: string | undefined;
  readonly reply: Pick<SseReply, 'hasHungUp'>;
  /** Aborts when the client has cancelled the call that it sends: nothing is answered then. */
  readonly cancelled: AbortController;
}

const INSTRUCTIONS =
  'Agents of an organization, which work on their own and for as long as it takes. ask_agent gives one a message; while it works, get_turn has the answer once there is one. To go on with a conversation, give ask_agent its chat_id.';

/** Makes the server that answers one message: it offers what its sender may do. */
export async function makeServer(exchange: Exchange, { era }: McpRequestContext): Promise<McpServer> {
  // On first use: a process at which nobody speaks the protocol does without the library.
  const { McpServer: Server } = await import('@modelcontextprotocol/server');
  const about = { name: 'everturn', title: 'Everturn', version: packageJson.version };
  const server = new Server(about, { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } });
  for (const tool of servedTools) {
    if (isOffered(tool, exchange.caller)) register(server, tool, exchange, era);
  }
  return server;
}

function isOffered({ access }: ServedTool, { policy }: OrgCaller): boolean {
  return access === 'in_org' || policyAllows(policy, access);
}

function register(server: McpServer, tool: ServedTool, exchange: Exchange, era: McpRequestContext['era']): void {
  const { name, title, description, annotations, input: inputSchema, output: outputSchema } = tool;
  const { ip, session, cancelled, ...sender } = exchange;
  const { caller, context } = exchange;
  const answer = async (args: unknown, { mcpReq }: ServerContext) => {
    const notes = new ProgressNotes(mcpReq);
    const digest = callDigestOf(session, mcpReq.id);
    const call = {
      ...sender,
      signal: AbortSignal.any([mcpReq.signal, cancelled.signal]),
      isCancelledByHangUp: era === 'modern',
      digest,
      isCancelled: () => cancelled.signal.aborted,
      cancel: () => cancelled.abort(),
      progress: (message: string) => notes.note(message),
    };
    const release = digest && context.waitingCalls.add(nameOfCall(caller, digest), cancelled);
    try {
      return await runTool(tool, args, call, ip);
    } finally {
      release?.();
    }
  };
  server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, answer);
}

/** The shortest time between two notes, in milliseconds. */
const INTERVAL_MS = 1_000;

/** Sends a client the progress of its call, if it asked for that: at most once a second, the latest news. */
class ProgressNotes {
  readonly #request: ServerContext['mcpReq'];
  #count = 0;
  #sentAt = -INTERVAL_MS;

  constructor(request: ServerContext['mcpReq']) {
    this.#request = request;
  }

  note(message: string): void {
    const progressToken = this.#request._meta?.progressToken;
    const now = performance.now();
    if (progressToken === undefined || now - this.#sentAt < INTERVAL_MS || this.#request.signal.aborted) return;
    this.#sentAt = now;
    this.#count += 1;
    const params = { progressToken, progress: this.#count, message };
    // Of a note that comes too late nobody is waiting any more.
    this.#request.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }
}

/** Runs a tool. A failure is answered in words that the client can show to a model, and audited as routes do. */
async function runTool(tool: ServedTool, args: unknown, call: ServedCall, ip: string): Promise<CallToolResult> {
  const { caller, context } = call;
  const { resource: recordType, action, name } = tool;
  const [recordId, ...relatedIds] = namedIds(args);
  const about = {
    recordType,
    action: `${recordType}.${action}` as const,
    recordId,
    relatedIds,
    fields: namedFields(args),
  };
  const event = { ...auditedCaller(caller), ...about, ip };
  try {
    const { data, text = JSON.stringify(data), isError = false } = await tool.run(args, call);
    if (tool.isAudited === true) await context.audit.changed({ ...event, outcome: 'success', status: 200 });
    return { content: [{ type: 'text', text }], structuredContent: data as Record<string, unknown>, isError };
  } catch (error) {
    const problem = problemOf(error) ?? internalProblem();
    const { requestId, status } = problem;
    if (requestId !== undefined)
      context.log.error({ err: error, requestId, tool: name }, 'a call of an MCP client failed');
    if (DENIED.has(status)) context.audit.denied({ ...event, outcome: 'denied', status });
    return { content: [{ type: 'text', text: wordsOf(problem) }], isError: true };
  }
}

function wordsOf({ detail }: Problem): string {
  return typeof detail === 'string' ? detail : detail.map(describeIssue).join('; ');
}
