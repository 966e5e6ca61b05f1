import type { TestUser } from './factories.ts';

interface ChannelToAdd {
  readonly kind: 'email' | 'slack';
  readonly agentId: string;
  /** What the channel's secret is. */
  readonly secret: string;
  /** The fields of the integration that it answers with, without its name. */
  readonly integration: Readonly<Record<string, unknown>>;
  /** Other fields of the channel. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Adds a channel that recognizes members by their addresses, and its integration. */
export async function addChannel(
  { client }: TestUser,
  { kind, agentId, secret, integration, fields }: ChannelToAdd,
): Promise<{ readonly channelId: string; readonly integrationId: string }> {
  const add = async (path: string, body: object) =>
    (await client.post<{ id: string }>(path, { name: kind, ...body })).json.id;
  const integrationId = await add('/api/integrations', integration);
  const channel = { kind, agent_id: agentId, integration_id: integrationId, secret, matches_email: true, ...fields };
  return { channelId: await add('/api/channels', channel), integrationId };
}
