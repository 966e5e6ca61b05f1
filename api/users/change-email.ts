import { getUser, updateUser } from '../../db/users/index.ts';
import { rememberSignIn } from '../access/passwords/check-password.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { checkOwnPassword } from './check-own-password.ts';
import { newEmailSchema, userSchema } from './schema.ts';

/** Changes the address that the caller signs in with. That of a managed account is for its organization to decide. */
export const changeEmailRoute = defineRoute({
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
