import { getUser, updateUser } from '../../db/users/index.ts';
import { rememberSignIn } from '../access/passwords/check-password.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { checkOwnPassword } from './check-own-password.ts';
import { userChangesSchema, userSchema } from './schema.ts';

/** Changes the caller's name or password. A new password ends all of their sessions, this one too. */
export const updateMeRoute = defineRoute({
  method: 'patch',
  path: '/api/users/me',
  resource: 'users',
  access: 'signed_in',
  tag: 'Users',
  operationId: 'updateCurrentUser',
  summary: 'Change your name or password; a new password signs you out everywhere',
  body: userChangesSchema,
  errors: [403, 429],
  response: { status: 200, schema: userSchema },
  handler: async ({ caller, body, ip }, context) => {
    const { database, passwords } = context;
    if (body.password !== undefined) {
      await checkOwnPassword(context, { userId: caller.userId, password: body.current_password ?? '', ip });
    }
    const passwordHash = body.password === undefined ? undefined : await passwords.hash(body.password);
    await updateUser(database, caller.userId, { fullName: body.full_name, passwordHash });
    const user = await getUser(database, caller.userId);
    if (passwordHash !== undefined) await rememberSignIn(context, { userId: user.id, email: user.email, ip });
    return present(userSchema, user);
  },
});
