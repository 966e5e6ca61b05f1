import { endOtherSessions, endSession, listSessions, requireOwnSession } from '../../db/sessions/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { sessionSchema } from './schema.ts';

/** How many of the sign-ins that ended at once the audit log names. */
const MAX_NOTED = 1000;
const head = { resource: 'sessions', access: 'signed_in', tag: 'Users' } as const;

export const sessionRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/users/me/sessions',
    operationId: 'listSessions',
    summary: 'Where you are signed in',
    description: 'Devices are listed by `listDevices`.',
    query: pageQuery,
    response: { status: 200, schema: sessionSchema.array() },
    handler: async ({ caller: { userId, sessionId }, query, answerPage }, { database }) =>
      answerPage(await listSessions(database, userId, query)).map((session) =>
        present(sessionSchema, session, { isCurrent: session.id === sessionId, updatedAt: session.refreshedAt }),
      ),
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/users/me/sessions',
    action: 'end_others',
    operationId: 'endOtherSessions',
    summary: 'Sign out everywhere else: the tokens of all other sign-ins become invalid at once',
    description:
      'The sign-in that the request was made with stays; a request with an API key or of a device belongs to none, and ends all. The API keys that were created in the ended sign-ins end too. Devices stay.',
    response: { status: 204 },
    handler: async ({ caller: { userId, sessionId }, noteRecords }, { database }) =>
      noteRecords(...(await endOtherSessions(database, userId, sessionId)).slice(0, MAX_NOTED)),
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/users/me/sessions/{session_id}',
    operationId: 'endSession',
    summary: 'Sign out elsewhere: the tokens of that sign-in become invalid at once',
    description: 'Unless it is the one that the request was made with, the API keys that were created in it end too.',
    params: idParams('session_id'),
    response: { status: 204 },
    handler: async ({ caller: { userId, sessionId }, params: { session_id: id } }, { database }) => {
      await requireOwnSession(database, userId, id);
      await endSession(database, id, { withKeys: id !== sessionId });
    },
  }),
];
