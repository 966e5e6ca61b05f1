import type { z } from 'zod';
import { findAgentNames } from '../../db/agents/find-agents.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import { listProjectLogs, type ProjectLogEntry } from '../../db/project-logs.ts';
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  lockProject,
  restoreProject,
  type ShownProject,
  updateProject,
} from '../../db/projects/projects.ts';
import { listProjectAgents, setProjectAgents } from '../../db/projects/project-agents.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { allowedIds, HIDDEN_AGENT, hideAgents, isAgentHidden } from '../../domain/permissions/restrict.ts';
import { permits, type Policy } from '../../domain/permissions/policy.ts';
import type { LogChanges } from '../../domain/projects.ts';
import { requireVersion } from '../../domain/resources.ts';
import { readerOf } from '../chats/own-chat.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { checkMaySeeDeleted } from '../resources/versions.ts';
import {
  checkChangedRepository,
  checkMayRedirect,
  checkMaySetWebhook,
  checkMayUseIntegration,
  checkRepository,
} from './rules.ts';
import {
  logQuery,
  newProjectSchema,
  projectAgentSchema,
  projectAgentsSchema,
  projectChangesSchema,
  projectLogSchema,
  projectSchema,
  projectsQuery,
} from './schema.ts';

const view = { resource: 'projects', access: 'projects.view', tag: 'Projects' } as const;
const manage = { resource: 'projects', access: 'projects.manage', tag: 'Projects' } as const;

export const projectRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/projects',
    operationId: 'listProjects',
    summary: 'List the projects of the organization',
    query: projectsQuery,
    response: { status: 200, schema: projectSchema.array() },
    handler: async ({ caller, query, answerPage }, context) => {
      checkMaySeeDeleted(caller, query, 'projects.manage');
      const projects = await listProjects(context.database, caller.orgId, query);
      return answerPage(projects).map((project) => presentProject(caller, project, context));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/projects/{project_id}',
    operationId: 'getProject',
    summary: 'Get a project',
    response: { status: 200, schema: projectSchema },
    handler: async ({ caller, params: { project_id: id } }, context) =>
      presentProject(caller, await getProject(context.database, caller.orgId, id), context),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/projects',
    operationId: 'createProject',
    summary: 'Add a project',
    body: newProjectSchema,
    errors: [404, 409],
    response: { status: 201, schema: projectSchema },
    handler: async ({ caller, body }, context) => {
      const { database, box, privateHosts, orgLimits } = context;
      const { agentIds, ...given } = toFields(newProjectSchema, body);
      checkMayUseIntegration(caller, given);
      const fields = { ...given, ...checkRepository(given, privateHosts) };
      const { orgId } = caller;
      const id = await withOrgTransaction(database, orgId, async (em) => {
        await requireRoom(em, orgId, 'projects', orgLimits);
        const project = await createProject(em, box, caller, fields);
        if (agentIds.length > 0) await setProjectAgents(em, caller, project, { agentIds });
        if (given.webhookSecret !== null) checkMaySetWebhook(caller, given);
        return project.id;
      });
      return presentProject(caller, await getProject(database, orgId, id), context);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/projects/{project_id}',
    operationId: 'updateProject',
    summary: 'Change a project; only the given fields change',
    body: projectChangesSchema,
    response: { status: 200, schema: projectSchema },
    handler: async ({ caller, params: { project_id: id }, body, expectedVersions }, context) => {
      const { database, box, privateHosts } = context;
      const { agentIds, ...given } = toFields(projectChangesSchema, body);
      checkMayUseIntegration(caller, given);
      const visibleIds = allowedIds(caller.policy, 'agentIds');
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const project = await lockProject(em, id);
        requireVersion(project, expectedVersions);
        const changes = { ...given, ...checkChangedRepository(project, given, privateHosts) };
        checkMayRedirect(caller, project, changes);
        await updateProject(em, box, caller, project, changes);
        if (agentIds !== undefined) await setProjectAgents(em, caller, project, { agentIds, visibleIds });
        checkMaySetWebhook(caller, given);
        // Its agents are kept elsewhere.
        if (agentIds !== undefined) project.updatedAt = new Date();
      });
      return presentProject(caller, await getProject(database, caller.orgId, id), context);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/projects/{project_id}',
    operationId: 'deleteProject',
    summary: 'Delete a project with its issues; it can be restored',
    description: 'Its chats and their tasks stay with their owners, and have no project until it is restored.',
    response: { status: 204 },
    handler: async ({ caller, params: { project_id: id }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const project = await lockProject(em, id);
        requireVersion(project, expectedVersions);
        await deleteProject(em, caller, project);
      });
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/projects/{project_id}/restore',
    action: 'restore',
    operationId: 'restoreProject',
    summary: 'Restore a deleted project with its issues, chats and tasks',
    description: 'Chats are shared again as before; those that were used in the meantime come back private.',
    errors: [409],
    response: { status: 200, schema: projectSchema },
    handler: async ({ caller, params: { project_id: id }, expectedVersions }, context) => {
      const { database, orgLimits } = context;
      await withOrgTransaction(database, caller.orgId, async (em) => {
        await requireRoom(em, caller.orgId, 'projects', orgLimits, { isNew: false });
        await restoreProject(em, caller, id, expectedVersions);
      });
      return presentProject(caller, await getProject(database, caller.orgId, id), context);
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/projects/{project_id}/agents',
    action: 'view_agents',
    operationId: 'listProjectAgents',
    summary: 'List the agents that work in a project, with their current activity',
    query: pageQuery,
    response: { status: 200, schema: projectAgentSchema.array() },
    handler: async ({ caller, params: { project_id: id }, query, answerPage }, { database }) => {
      const page = { ...query, onlyIds: allowedIds(caller.policy, 'agentIds') };
      return answerPage(await listProjectAgents(database, readerOf(caller), id, page)).map(
        presenter(projectAgentSchema),
      );
    },
  }),
  defineRoute({
    ...manage,
    method: 'put',
    path: '/api/projects/{project_id}/agents',
    action: 'set_agents',
    operationId: 'setProjectAgents',
    summary: 'Set the agents that work in a project',
    description: 'Agents that your permission groups do not let you use stay assigned.',
    body: projectAgentsSchema,
    response: { status: 200, schema: projectSchema },
    handler: async ({ caller, params: { project_id: id }, body, expectedVersions }, context) => {
      const { agent_ids: agentIds } = body;
      const { database } = context;
      const visibleIds = allowedIds(caller.policy, 'agentIds');
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const project = await lockProject(em, id);
        requireVersion(project, expectedVersions);
        await setProjectAgents(em, caller, project, { agentIds, visibleIds });
      });
      return presentProject(caller, await getProject(database, caller.orgId, id), context);
    },
  }),
  defineRoute({
    ...view,
    resource: 'project_logs',
    method: 'get',
    path: '/api/projects/{project_id}/logs',
    operationId: 'listProjectLogs',
    summary: 'List the activity of a project: who did what, newest first',
    description:
      'Covers issues, comments, chats, and the project itself. An entry is written in the same transaction as the change it describes. With `before` the list starts after that entry, and `X-Total-Count` counts the older ones. Agents that your permission groups do not let you use are not named.',
    query: logQuery,
    response: { status: 200, schema: projectLogSchema.array() },
    handler: async ({ caller, params: { project_id: id }, query, answerPage }, { database }) => {
      const { orgId, policy } = caller;
      const onlyIds = allowedIds(policy, 'agentIds');
      const [logs, usable] = await Promise.all([
        listProjectLogs(database, orgId, id, query),
        onlyIds && findAgentNames(database, orgId, onlyIds),
      ]);
      return answerPage(logs).map((entry) => presentLogEntry(caller, entry, usable && new Set(usable.values())));
    },
  }),
];

/** Returns a project as the API shows it, with those of its agents that the caller may use. */
function presentProject(
  { policy }: OrgCaller,
  project: ShownProject,
  { publicUrl }: Pick<ApiContext, 'publicUrl'>,
): z.input<typeof projectSchema> {
  const { id, repoType } = project;
  return present(projectSchema, project, {
    webhookUrl: repoType === '' ? null : `${publicUrl}/api/integrations/${repoType}/webhook/${id}`,
    agentIds: project.agentIds.filter((agentId) => permits(policy, 'agentIds', agentId)),
  });
}

/**
 * Returns an entry of a project's log as the API shows it, without the agents that the caller may not use. The agents
 * of a project were logged by their names: a caller who may use some only is shown what those are called now.
 */
function presentLogEntry(
  { policy }: OrgCaller,
  entry: ProjectLogEntry,
  usableNames: ReadonlySet<string> | undefined,
): z.input<typeof projectLogSchema> {
  const changes = Object.entries(entry.changes).map(([field, { from, to }]) => {
    const shown = (value: typeof from) => hideIn(policy, { field, value, usableNames });
    return [field, { from: shown(from), to: shown(to) }] as const;
  });
  return present(projectLogSchema, { ...hideAgents(policy, entry), changes: Object.fromEntries(changes) });
}

interface LoggedValue {
  readonly field: string;
  readonly value: LogChanges[string]['from'];
  readonly usableNames: ReadonlySet<string> | undefined;
}

function hideIn(policy: Policy, { field, value, usableNames }: LoggedValue): LoggedValue['value'] {
  if (field === 'assigned_agent_id' && typeof value === 'string')
    return isAgentHidden(policy, value) ? HIDDEN_AGENT : value;
  if (field === 'agents' && Array.isArray(value) && usableNames !== undefined)
    return value.map((name) => (usableNames.has(name) ? name : HIDDEN_AGENT));
  return value;
}
