import type { EntityManager } from '@mikro-orm/postgresql';
import { checkToolApproval, requireMayDirect } from '../../../../db/agents/index.ts';
import { type Database, withOrgTransaction } from '../../../../db/core/index.ts';
import {
  createDefinition,
  type Definitions,
  findDefinition,
  readOwnFile,
  replaceDefinition,
} from '../../../../db/definitions/index.ts';
import {
  checkDefinitionFile,
  checkScriptFile,
  DEFAULT_VERSION,
  DefinitionFault,
  SCRIPT_FILE,
  TOOL_FILE,
} from '../../../../definition-files/index.ts';
import { AppError } from '../../../../domain/core/app-error.ts';
import type { Payer } from '../../../../domain/core/keyed-semaphore.ts';
import type { OrgLimits } from '../../../../domain/orgs/index.ts';
import { allowedIds, mayRedirect, type Policy } from '../../../../domain/permissions/index.ts';
import { inspectDefinition } from '../../../../domain/tools/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import type { UserTools, WrittenTool } from '../../context.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import { memberOf } from '../member-of.ts';
import { auditCall } from './audit-call.ts';

/** Who a call works for. */
interface ToolScope {
  readonly orgId: string;
  readonly userId: string;
  /** The agent that makes the call. */
  readonly agentId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
  readonly callId: string;
}

interface ToolDeps {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly orgLimits: OrgLimits;
}

/** Returns the tools that a user may write for a tool, until the signal aborts. */
export function userTools(deps: ToolDeps, scope: ToolScope, signal: AbortSignal): UserTools {
  const { database, orgLimits: limits } = deps;
  const { orgId, userId } = scope;
  return {
    write: async (id, tool) =>
      inToolTerms(() =>
        retryWhileDatabaseUnavailable(signal, async () => {
          const { policy } = memberOf(scope);
          await requireMayWrite(deps, { orgId, policy }, tool);
          await checkFiles(await database.payers.of(orgId), tool);
          const stored = await withOrgTransaction(database, orgId, async (em) =>
            store(em, { orgId, userId, policy, id, limits }, tool),
          );
          const action = stored === id ? 'tools.create' : 'tools.update';
          await auditCall(database, scope, { action, recordId: stored, given: tool });
          const inspection = inspectDefinition({ ...tool });
          return { id: stored, problem: 'tool' in inspection ? null : inspection.problem };
        }),
      ),
  };
}

async function requireMayWrite(
  { database, definitions }: ToolDeps,
  { orgId, policy }: Pick<Place, 'orgId' | 'policy'>,
  { key }: WrittenTool,
): Promise<void> {
  const allowed = allowedIds(policy, 'toolKeys');
  if (allowed !== undefined && !allowed.includes(key))
    throw new AppError('forbidden', `Your permission groups do not let you use the tool "${key}"`);
  // It would work in everybody's turns, under a name that they trust: a person does that.
  if (definitions.shipped.find('tool', key) !== undefined)
    throw new AppError('forbidden', `The builtin tool "${key}" is not replaced by an agent; choose another key`);
  await requireMayDirect(database, { orgId, policy, onlyAgentIds: [] }, { by: 'tool', names: [key] });
}

async function checkFiles(payer: Payer, { files }: WrittenTool): Promise<void> {
  try {
    for (const [path, text] of files) checkDefinitionFile('tool', path, text);
    const script = files.get(SCRIPT_FILE);
    if (script !== undefined) await checkScriptFile(script, payer);
  } catch (error) {
    if (error instanceof DefinitionFault) throw new AppError('unprocessable', error.message, { cause: error });
    throw error;
  }
}

interface Place {
  readonly orgId: string;
  readonly userId: string;
  readonly policy: Policy;
  readonly id: string;
  readonly limits: OrgLimits;
}

async function store(
  em: EntityManager,
  { orgId, userId, policy, id, limits }: Place,
  tool: WrittenTool,
): Promise<string> {
  const { key } = tool;
  const content = { ...tool, version: DEFAULT_VERSION, persona: null };
  const record = await findDefinition(em, { kind: 'tool', key });
  if (record !== null && !mayRedirect(policy, userId, record))
    throw new AppError('forbidden', `Somebody else has added the tool "${key}"; choose another key`);
  const former = record === null ? undefined : await readOwnFile(em, record, TOOL_FILE);
  await checkToolApproval(em, { orgId, policy }, { key, former, wanted: tool.files.get(TOOL_FILE) });
  if (record === null && allowedIds(policy, 'toolKeys') !== undefined)
    throw new AppError('forbidden', 'Your permission groups allow certain tools only, so you cannot add others');
  if (record === null)
    return (await createDefinition(em, { orgId, ownerId: userId, kind: 'tool', limits, id }, content)).id;
  return (await replaceDefinition(em, record, content, { limits })).id;
}
