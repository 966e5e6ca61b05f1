import { getProject } from '../../../db/projects/index.ts';
import { readBoard } from '../../../db/tasks/index.ts';
import { readerOf } from '../../chats/index.ts';
import { defineRoute, defineStreamRoute } from '../../http/define-route.ts';
import { boardEventSchema, boardQuery, boardSchema, presentBoard } from './schema.ts';
import { streamQuery } from '../../http/fields.ts';
import { BoardStream } from './board-stream.ts';

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

/** Shows a board, and then what changes on it, until the viewer leaves or loses the right to it. */
export const streamBoardRoute = defineStreamRoute({
  method: 'get',
  path: '/api/board/stream',
  resource: 'tasks',
  action: 'view_board_stream',
  access: 'tasks.view',
  tag: 'Tasks',
  operationId: 'watchBoard',
  summary: 'Watch the board of a project, as server-sent events',
  description:
    'The first event, `board`, is what `GET /api/board` answers. From then on each task that is added, changed or moved is sent as it is now (`task`), within a second, and each that is gone by its id (`removed`). An event may tell what the viewer knows already. `board` comes again when tasks may have come or gone with their chats, and now and then: it replaces what came before. A viewer who reconnects begins with it, so nothing is missed.',
  query: streamQuery.extend(boardQuery.shape),
  errors: [404, 429],
  response: { status: 200, stream: 'text/event-stream', schema: boardEventSchema },
  handler: async ({ caller, query: { project_id: projectId }, checkWhileOpen }, context, reply) => {
    await getProject(context.database, caller.orgId, projectId);
    const stream = new BoardStream(reply, context, { projectId, caller });
    checkWhileOpen(async (current) => {
      await getProject(context.database, current.orgId, projectId);
      stream.setCaller(current);
    });
    await stream.start();
  },
});
