import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { executeShort, type WorkflowStart } from '../core/client.ts';
import {
  CHECK_INTEGRATION,
  type CheckIntegrationInput,
  type CheckIntegrationResult,
  checksOf,
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

/** Returns the workflow that tells a service of the end of a grant. */
export function revocationStart({ orgId, revocationId }: RevokeGrantInput): WorkflowStart {
  const input = { orgId, revocationId };
  return { id: revokeGrantId(input), input, fairnessKey: orgId };
}
