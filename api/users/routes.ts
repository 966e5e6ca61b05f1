import { listDevices, revokeDevice } from '../../db/device-tokens.ts';
import { endOtherSessions, endSession, listSessions, requireOwnSession } from '../../db/sessions.ts';
import { getUser, updateUser } from '../../db/users/user.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { setsAny } from '../../domain/resources.ts';
import { rememberSignIn } from '../access/passwords.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { checkOwnPassword } from './check-own-password.ts';
import { pushSubscriptionRoutes } from './push-subscriptions.ts';
import { deviceSchema, newEmailSchema, sessionSchema, userChangesSchema, userSchema } from './schema.ts';

/** Changes the address that the caller signs in with. That of a managed account is for its organization to decide. */
const changeEmailRoute = defineRoute({
  method: 'put',
  path: '/api/users/me/email',
  resource: 'users',
  action: 'update',
  access: 'signed_in',
  rejectsManaged: true,
  tag: 'Users',
  operationId: 'changeEmail',
  summary: 'Change the e-mail address that you sign in with',
  body: newEmailSchema,
  errors: [403, 409, 429],
  response: { status: 200, schema: userSchema },
  handler: async ({ caller: { userId }, body: { email, current_password: password }, ip }, context) => {
    await checkOwnPassword(context, { userId, password, ip });
    await updateUser(context.database, userId, { email });
    await rememberSignIn(context, { userId, email, ip });
    return present(userSchema, await getUser(context.database, userId));
  },
});

/** Changes the caller's name, notifications or password. A new password ends all of their sessions, this one too. */
const updateMeRoute = defineRoute({
  method: 'patch',
  path: '/api/users/me',
  resource: 'users',
  access: 'signed_in',
  tag: 'Users',
  operationId: 'updateCurrentUser',
  summary: 'Change your name, your notifications or your password; a new password signs you out everywhere',
  body: userChangesSchema,
  errors: [403, 429],
  response: { status: 200, schema: userSchema },
  handler: async ({ caller, body, ip }, context) => {
    const { database, passwords } = context;
    if (body.password !== undefined) {
      await checkOwnPassword(context, { userId: caller.userId, password: body.current_password ?? '', ip });
    }
    const passwordHash = body.password === undefined ? undefined : await passwords.hash(body.password);
    const changes = {
      fullName: body.full_name,
      mailNotifications: body.mail_notifications,
      slackNotifications: body.slack_notifications,
      passwordHash,
    };
    if (setsAny(changes)) await updateUser(database, caller.userId, changes);
    const user = await getUser(database, caller.userId);
    if (passwordHash !== undefined) await rememberSignIn(context, { userId: user.id, email: user.email, ip });
    return present(userSchema, user);
  },
});

const deviceHead = { resource: 'devices', access: 'signed_in', tag: 'Users' } as const;

const deviceRoutes = [
  defineRoute({
    ...deviceHead,
    method: 'get',
    path: '/api/users/me/devices',
    operationId: 'listDevices',
    summary: 'List your signed-in devices',
    query: pageQuery,
    response: { status: 200, schema: deviceSchema.array() },
    handler: async ({ caller: { userId }, query, answerPage }, { database }) =>
      answerPage(await listDevices(database, { userId }, query)).map(presenter(deviceSchema)),
  }),
  defineRoute({
    ...deviceHead,
    method: 'delete',
    path: '/api/users/me/devices/{device_id}',
    operationId: 'revokeDevice',
    summary: 'Sign a device out; its token and its API key become invalid at once',
    response: { status: 204 },
    handler: async ({ caller: { userId }, params }, { database }) => {
      await revokeDevice(database, { userId }, params.device_id);
    },
  }),
];

/** How many of the sign-ins that ended at once the audit log names. */
const MAX_NOTED = 1000;
const sessionHead = { resource: 'sessions', access: 'signed_in', tag: 'Users' } as const;

const sessionRoutes = [
  defineRoute({
    ...sessionHead,
    method: 'get',
    path: '/api/users/me/sessions',
    operationId: 'listSessions',
    summary: 'List your sessions',
    description: 'Devices are listed by `listDevices`.',
    query: pageQuery,
    response: { status: 200, schema: sessionSchema.array() },
    handler: async ({ caller: { userId, sessionId }, query, answerPage }, { database }) =>
      answerPage(await listSessions(database, userId, query)).map((session) =>
        present(sessionSchema, session, { isCurrent: session.id === sessionId, updatedAt: session.refreshedAt }),
      ),
  }),
  defineRoute({
    ...sessionHead,
    method: 'delete',
    path: '/api/users/me/sessions',
    action: 'end_others',
    operationId: 'endOtherSessions',
    summary: 'Sign out everywhere else: the tokens of all other sessions become invalid at once',
    description:
      'The session of this request stays; a request made with an API key or from a device belongs to no session and ends them all. API keys created in the ended sessions are revoked. Devices stay signed in.',
    response: { status: 204 },
    handler: async ({ caller: { userId, sessionId }, noteRecords }, { database }) =>
      noteRecords(...(await endOtherSessions(database, userId, sessionId)).slice(0, MAX_NOTED)),
  }),
  defineRoute({
    ...sessionHead,
    method: 'delete',
    path: '/api/users/me/sessions/{session_id}',
    operationId: 'endSession',
    summary: 'End another session: its tokens become invalid at once',
    description: 'API keys created in it are revoked too, unless it is the session of this request.',
    response: { status: 204 },
    handler: async ({ caller: { userId, sessionId }, params: { session_id: id } }, { database }) => {
      await requireOwnSession(database, userId, id);
      await endSession(database, id, { withKeys: id !== sessionId });
    },
  }),
];

export const userRoutes = [
  defineRoute({
    method: 'get',
    path: '/api/users/me',
    resource: 'users',
    access: 'signed_in',
    tag: 'Users',
    operationId: 'getCurrentUser',
    summary: 'Get the signed-in user',
    response: { status: 200, schema: userSchema },
    handler: async ({ caller }, { database }) => present(userSchema, await getUser(database, caller.userId)),
  }),
  updateMeRoute,
  changeEmailRoute,
  ...deviceRoutes,
  ...sessionRoutes,
  ...pushSubscriptionRoutes,
];
