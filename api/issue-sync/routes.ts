import { z } from 'zod';
import { SYNC_STATUSES } from '../../domain/issue-sync/merge-fields.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageQuery, timestamp } from '../http/fields.ts';
import { getSync, listSyncs, type ProjectSync, requestSync } from '../../db/issue-sync/project-syncs.ts';
import { present } from '../../domain/core/record-names.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { defineRoute } from '../http/define-route.ts';
import { receiveDeliveryRoute } from './receive-delivery.ts';

const syncSchema = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    user_id: z.uuid().nullable().meta({ description: 'Who requested it; null when the account was deleted' }),
    status: z
      .enum(SYNC_STATUSES)
      .meta({ description: '`waiting`: until `waiting_until`, because the code host failed or asked to wait' }),
    created: z.int().meta({ description: 'Issues that were added here' }),
    updated: z.int().meta({ description: 'Issues that were changed here' }),
    total: z.int().meta({ description: 'The number of issues of the code host known here' }),
    comments: z.int().meta({ description: 'Comments that were added or changed here' }),
    skipped: z
      .int()
      .meta({ description: 'Issues and comments left out because their content or numbers are too large' }),
    error: z.string().nullable().meta({ description: 'Why it failed or is waiting' }),
    waiting_until: timestamp.nullable(),
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({
    id: 'IssueSync',
    examples: [
      {
        id: EXAMPLE_ID,
        project_id: EXAMPLE_ID,
        user_id: EXAMPLE_ID,
        status: 'completed',
        created: 12,
        updated: 3,
        total: 480,
        comments: 31,
        skipped: 0,
        error: null,
        waiting_until: null,
        started_at: EXAMPLE_TIME,
        completed_at: EXAMPLE_TIME,
        created_at: EXAMPLE_TIME,
      },
    ],
  });

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
      'Reads what has changed since the last sync. A project has one sync at a time: while one runs, this returns that one. Poll it by its id.',
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
    summary: 'List the syncs of a project, newest first',
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
    summary: 'Get a sync, with its status',
    response: { status: 200, schema: syncSchema },
    handler: async ({ caller, params: { project_id: projectId, sync_id: syncId } }, { database }) =>
      presentSync(await getSync(database, caller.orgId, { projectId, syncId })),
  }),
];
