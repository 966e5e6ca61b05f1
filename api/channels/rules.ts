import type { EntityManager } from '@mikro-orm/postgresql';
import type { Channel } from '../../db/channels/channel.entity.ts';
import { getIntegration } from '../../db/integrations/integrations.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';

type Recognition = Pick<Channel, 'matchesEmail' | 'people'>;
type Caller = Pick<OrgCaller, 'policy' | 'userId'>;

/** Returns whether others than a user count as members in a channel. */
export function recognisesOthers(userId: string | null, { matchesEmail, people }: Recognition): boolean {
  return matchesEmail || Object.values(people).some((each) => each !== userId);
}

/**
 * Rejects a setup by which the caller could speak as somebody else: whoever holds the signing secret or the integration
 * decides who has sent a message.
 */
export function checkRecognition(caller: Caller, recognition: Recognition): void {
  if (recognisesOthers(caller.userId, recognition) && !policyAllows(caller.policy, 'settings.manage'))
    throw new AppError(
      'forbidden',
      'A channel in which others than yourself are recognised is set up with the permission settings.manage',
    );
}

/** Returns the connection of the integration that a channel answers with, which the caller has to be allowed to use. */
export async function connectionOf(
  em: EntityManager,
  { policy }: Pick<Caller, 'policy'>,
  { kind, integrationId }: Pick<Channel, 'kind'> & { readonly integrationId: string },
): Promise<string> {
  const integration = await getIntegration(em, integrationId);
  // As for a destination: whoever can sign events has the integration post where they name.
  if (!policyAllows(policy, 'integrations.manage'))
    throw new AppError('forbidden', 'The integration of a channel is set with the permission integrations.manage');
  if (integration.kind !== kind) throw fieldIssue('integration_id', `must be of the kind ${kind}`);
  return integration.connection;
}
