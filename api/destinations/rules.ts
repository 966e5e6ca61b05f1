import type { EntityManager } from '@mikro-orm/postgresql';
import type { Destination } from '../../db/destinations/destination.entity.ts';
import { getIntegration } from '../../db/integrations/integrations.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { configIssue, integrationOf } from '../../domain/destinations.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';

type Setup = Pick<Destination, 'kind' | 'config' | 'integrationId'> & { readonly secret?: string | null | undefined };

/** Rejects a destination that could not be used, or whose address the caller may not set. */
export async function checkDestination(
  em: EntityManager,
  { policy }: Pick<OrgCaller, 'policy'>,
  { kind, config, integrationId, secret }: Setup,
  { privateHosts }: Pick<ApiContext, 'privateHosts'>,
): Promise<void> {
  const integration = integrationId === null ? null : await getIntegration(em, integrationId);
  const issue = configIssue(kind, config, privateHosts);
  if (issue !== undefined) throw fieldIssue(['config', issue.field], issue.words);
  const wanted = integrationOf(kind);
  if (integration === null && wanted !== null) throw fieldIssue('integration_id', `is required for the kind ${kind}`);
  if (integration !== null && integration.kind !== wanted)
    throw fieldIssue(
      'integration_id',
      `must be ${wanted === null ? 'null' : `of the kind ${wanted}`} for the kind ${kind}`,
    );
  if (secret != null && kind !== 'webhook') throw fieldIssue('secret', 'is for the kind webhook only');
  if (kind === 'webhook' && !policyAllows(policy, 'webhooks.manage'))
    throw new AppError('forbidden', 'A destination of the kind webhook needs the permission webhooks.manage');
}
