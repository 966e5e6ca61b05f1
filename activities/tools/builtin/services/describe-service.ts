import type { IntegrationKindKey } from '../../../../domain/integrations/index.ts';
import type { ToolContext } from '../../context.ts';
import type { CallDescription } from '../../tool.ts';

/** Describes a call by the integration that it works with; see `Tool.describe`. */
export async function describeService(
  kinds: readonly IntegrationKindKey[],
  name: string | undefined,
  { findService }: Pick<ToolContext, 'findService'>,
): Promise<CallDescription> {
  const { name: integration, apiUrl, connection } = await findService(kinds, name);
  const address = apiUrl === '' ? [] : [{ label: 'Address', value: apiUrl }];
  return { details: [{ label: 'Integration', value: integration }, ...address], basis: { connection } };
}
