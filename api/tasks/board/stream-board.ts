import { getProject } from '../../../db/projects/index.ts';
import { defineStreamRoute } from '../../http/define-route.ts';
import { streamQuery } from '../../http/fields.ts';
import { boardEventSchema } from './board-event.ts';
import { BoardStream } from './board-stream.ts';
import { boardQuery } from './schema.ts';

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
