import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { executeShort, startDetached } from '../core/client.ts';
import {
  CHECK_INTEGRATION,
  type CheckIntegrationInput,
  type CheckIntegrationResult,
  checksOf,
  END_INTEGRATION_GRANT,
  integrationSignInId,
  type IntegrationSignInInput,
  type IntegrationSignInResult,
  revokeGrantId,
  type RevokeGrantInput,
  SIGN_IN_WITH_INTEGRATION,
} from './contract.ts';

const TIMES = { lifeMs: 40_000, deadlineMs: 45_000 };

/** Makes one small request with an integration, and waits for its result (at most 45 seconds). */
export async function runIntegrationCheck(
  client: Client,
  input: CheckIntegrationInput,
): Promise<CheckIntegrationResult> {
  const id = `${checksOf(input)}${uuidv7()}`;
  return executeShort(client, CHECK_INTEGRATION, { id, input, fairnessKey: input.orgId, ...TIMES });
}

/** Finishes a person's sign-in with an integration, and waits for the result (at most 45 seconds). */
export async function runIntegrationSignIn(
  client: Client,
  input: IntegrationSignInInput,
): Promise<IntegrationSignInResult> {
  const id = integrationSignInId(input);
  return executeShort(client, SIGN_IN_WITH_INTEGRATION, { id, input, fairnessKey: input.orgId, ...TIMES });
}

/** Has a service told of the end of a grant; returns once that is under way. */
export async function startGrantRevocation(client: Client, input: RevokeGrantInput): Promise<void> {
  const id = revokeGrantId(input);
  await startDetached(client, END_INTEGRATION_GRANT, { id, input, fairnessKey: input.orgId });
}
