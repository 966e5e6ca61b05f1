import { getProject } from '../../../db/projects/index.ts';
import { readBoard } from '../../../db/tasks/index.ts';
import { readerOf } from '../../chats/index.ts';
import { defineRoute } from '../../http/define-route.ts';
import { presentBoard } from './present-board.ts';
import { boardQuery, boardSchema } from './schema.ts';

export const getBoardRoute = defineRoute({
  method: 'get',
  path: '/api/board',
  resource: 'tasks',
  action: 'board',
  access: 'tasks.view',
  tag: 'Tasks',
  operationId: 'getBoard',
  summary: 'The tasks of a project by status, in their order',
  query: boardQuery,
  errors: [404],
  response: { status: 200, schema: boardSchema },
  handler: async ({ caller, query: { project_id: projectId } }, { database }) => {
    await getProject(database, caller.orgId, projectId);
    const columns = await readBoard(database, readerOf(caller), projectId);
    return presentBoard(caller, { projectId, columns });
  },
});
