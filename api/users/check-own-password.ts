import { getUser } from '../../db/users/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { checkPassword } from '../access/check-password.ts';

interface OwnPassword {
  readonly userId: string;
  readonly password: string;
  /** The address that the request came from. */
  readonly ip: string;
}

/**
 * Makes sure that a signed-in user knows their password. Limited like a sign-in: with a stolen token it could be guessed
 * here otherwise.
 */
export async function checkOwnPassword(context: ApiContext, { userId, password, ip }: OwnPassword): Promise<void> {
  const { email } = await getUser(context.database, userId);
  if ((await checkPassword(context, { email, password, ip }))?.userId === userId) return;
  throw new AppError('forbidden', 'The current password is wrong');
}
