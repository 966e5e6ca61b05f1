import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { broadcasts, userTasks } from '../../activities/tools/operations/user-tasks.ts';
import { platformRecords } from '../../activities/tools/operations/platform/platform-records.ts';
import { userAgents, userTools } from '../../activities/tools/operations/platform/user-agents.ts';
import { userWorkflows } from '../../activities/tools/operations/platform/user-workflows.ts';
import { userIssues } from '../../activities/tools/operations/user-issues.ts';
import { userSchedules } from '../../activities/tools/operations/user-schedules.ts';
import type { ToolContext } from '../../activities/tools/context.ts';
import type { RunnableTool } from '../../activities/tools/runnable-tool.ts';
import type { ToolArguments, ToolOutput } from '../../activities/tools/tool.ts';
import { readShippedDefinitions } from '../../builtin/index.ts';
import type { Database } from '../../db/core/database.ts';
import { Definitions } from '../../db/definitions/definitions.ts';
import { ShippedDefinitions } from '../../domain/definitions/definition.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { type Policy, policyOf } from '../../domain/permissions/policy.ts';
import { prepareCall, type TestTools } from './tool-context.ts';

/** Who a call of a test works for, and where. */
export interface ToolCaller {
  readonly orgId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly chatId: string;
  /** The chat of the agent itself; the same one unless given. */
  readonly belowId?: string;
  /** The rights of a member unless given. */
  readonly policy?: Policy | null;
  /** The id of the call; a new one unless given. */
  readonly key?: string;
  readonly hasForeignText?: boolean;
  readonly isApproved?: boolean;
}

/** Runs a tool that works on records of the platform, for a user of a test. */
export async function callFor(
  { database, tools }: { readonly database: Database; readonly tools: TestTools },
  caller: ToolCaller,
  tool: RunnableTool,
  args: ToolArguments,
): Promise<ToolOutput> {
  const { key: idempotencyKey = uuidv7(), hasForeignText = false, isApproved = false, ...rest } = caller;
  const scope = { belowId: caller.chatId, policy: policyOf('member', []), ...rest, callId: idempotencyKey };
  const deps = { database, orgLimits: parseOrgLimits(''), approvalWaitMs: 0, log: pino({ level: 'silent' }) };
  const definitions = new Definitions(database, new ShippedDefinitions(readShippedDefinitions({})));
  const { signal } = new AbortController();
  const tasks = userTasks(deps, scope, signal);
  const context: ToolContext = {
    ...tools.context,
    idempotencyKey,
    hasForeignText,
    isApproved,
    tasks,
    issues: userIssues(deps, scope, signal),
    workflows: userWorkflows(deps, scope, signal),
    broadcasts: broadcasts({ ...deps, tasks }, scope, signal),
    agents: userAgents({ ...deps, definitions, privateHosts: parsePrivateHosts('') }, scope, signal),
    schedules: userSchedules(deps, scope, signal),
    tools: userTools({ ...deps, database, definitions }, scope, signal),
    platform: platformRecords({ ...scope, database, definitions }, signal),
  };
  return prepareCall(tool, args).run(context);
}
