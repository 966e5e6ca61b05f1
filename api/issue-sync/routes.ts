import type { z } from 'zod';
import { getSync, listSyncs, type ProjectSync, requestSync } from '../../db/issue-sync/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { syncSchema } from './schema.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { receiveDeliveryRoute } from './receive-delivery.ts';

/** Returns a sync as the API shows it. */
function presentSync(sync: ProjectSync): z.input<typeof syncSchema> {
  return present(syncSchema, sync, { total: sync.knownIssues });
}

const view = { resource: 'project_syncs', access: 'projects.view', tag: 'Projects' } as const;
const path = '/api/projects/{project_id}/syncs';

export const issueSyncRoutes = [
  receiveDeliveryRoute,
  defineRoute({
    method: 'post',
    path: '/api/projects/{project_id}/sync-issues',
    resource: 'project_syncs',
    action: 'start',
    access: 'projects.manage',
    audit: false,
    tag: 'Projects',
    operationId: 'syncIssues',
    summary: 'Read issues and comments from the code host of a project',
    description:
      'Reads what has changed since the last sync. A project has one sync at a time: a request while one runs answers with that one. Poll it by its id.',
    params: idParams('project_id'),
    errors: [409],
    response: { status: 202, schema: syncSchema },
    handler: async ({ caller, params: { project_id: projectId } }, { database }) => {
      const { orgId } = caller;
      const syncId = await withOrgTransaction(database, orgId, async (em) => requestSync(em, caller, projectId));
      return presentSync(await getSync(database, orgId, { projectId, syncId }));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path,
    operationId: 'listIssueSyncs',
    summary: 'The syncs of a project, newest first',
    params: idParams('project_id'),
    query: pageQuery,
    response: { status: 200, schema: syncSchema.array() },
    handler: async ({ caller, params: { project_id: id }, query, answerPage }, { database }) =>
      answerPage(await listSyncs(database, caller.orgId, id, query)).map(presentSync),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: `${path}/{sync_id}`,
    operationId: 'getIssueSync',
    summary: 'How a sync stands',
    params: idParams('project_id', 'sync_id'),
    response: { status: 200, schema: syncSchema },
    handler: async ({ caller, params: { project_id: projectId, sync_id: syncId } }, { database }) =>
      presentSync(await getSync(database, caller.orgId, { projectId, syncId })),
  }),
];
