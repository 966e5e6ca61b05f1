import { cancellationSignal } from '@temporalio/activity';
import { failSignIn, readSignInById } from '../../../db/providers/index.ts';
import { isCliProvider } from '../../../domain/providers/index.ts';
import type { ProviderSignInInput } from '../../../workflows/providers/contract.ts';
import { withHeartbeat } from '../../core/with-heartbeat.ts';
import { CliSignIn, type SignInDeps, STOPPED } from './cli-sign-in.ts';

/** Makes the activity that holds the program which signs a person in. What they exchange stays out of histories. */
export function createSignInWithCli(deps: SignInDeps) {
  return async function signInWithCli({ orgId, signInId }: ProviderSignInInput): Promise<void> {
    const stop = cancellationSignal();
    const signIn = await readSignInById(deps.database, { orgId, signInId });
    const provider = signIn?.providerType ?? '';
    if (signIn?.status !== 'pending' || !isCliProvider(provider)) return;
    await withHeartbeat(async () => new CliSignIn(deps, signIn, provider).run(stop));
  };
}

/** Makes the activity that ends a sign-in whose program is gone: with its worker, or by a fault. */
export function createFailSignIn({ database }: Pick<SignInDeps, 'database'>) {
  return async function failProviderSignIn({ orgId, signInId }: ProviderSignInInput): Promise<void> {
    await failSignIn(database, { orgId, signInId }, STOPPED);
  };
}
