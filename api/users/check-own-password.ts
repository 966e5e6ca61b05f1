import { getUser } from '../../db/users/user.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { checkPassword } from '../access/passwords.ts';

interface OwnPassword {
  readonly userId: string;
  readonly password: string;
  /** The address that the request came from. */
  readonly ip: string;
}

/**
 * Checks a signed-in user's password. Rate-limited like a sign-in: otherwise it could be guessed with a stolen token.
 */
export async function checkOwnPassword(context: ApiContext, { userId, password, ip }: OwnPassword): Promise<void> {
  const { email } = await getUser(context.database, userId);
  if ((await checkPassword(context, { email, password, ip }))?.userId === userId) return;
  throw new AppError('forbidden', 'The current password is wrong');
}
