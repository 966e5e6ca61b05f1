import { AppError } from './app-error.ts';

const WHOSE = {
  org: 'The organization has reached its limit',
  owner: 'The owner of this organization has reached the limit',
  agent: 'The agent has reached its limit',
  base: 'The knowledge base has reached its limit',
  user: 'You have reached your limit',
  member: 'The member has reached their limit',
};

interface LimitOptions {
  /** Whose limit it is; that of the organization unless another is named. */
  readonly whose?: keyof typeof WHOSE;
  /** Advice for whoever has reached the limit; the default is to delete some. */
  readonly advice?: string;
}

/** Makes the error for a limit that has been reached: a `conflict`, because waiting does not help. */
export function limitReached(
  things: string,
  limit: number | string,
  { whose = 'org', advice = '; delete what is no longer needed' }: LimitOptions = {},
): AppError {
  return new AppError('conflict', `${WHOSE[whose]} of ${limit.toLocaleString('en')} ${things}${advice}`);
}
