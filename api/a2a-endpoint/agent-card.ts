import type { z } from 'zod';
import type { PublishedAgent } from '../../db/agents/find-agents.ts';
import { A2A_PATH } from '../http/replies/failure-form.ts';
import type { agentCardSchema } from './schema.ts';

type Card = z.input<typeof agentCardSchema>;

/** The path of a card, below the agent's own or, for a host with one agent, at its root. */
export const CARD_PATH = '/.well-known/agent-card.json';

/** The versions of the protocol that are spoken, the newest first. */
export const A2A_VERSIONS = ['1.0', '0.3'] as const;

/** Returns the card of an agent, which is reached below `publicUrl`, in the form of version 1.0 of the protocol. */
export function cardOf(publicUrl: string, { id, name, description, updatedAt, orgName }: PublishedAgent) {
  const said = description === '' ? name : description;
  return {
    name,
    description: said,
    version: updatedAt.toISOString(),
    supportedInterfaces: A2A_VERSIONS.map((protocolVersion) => ({
      url: urlOf(publicUrl, id),
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    provider: { organization: orgName, url: publicUrl },
    capabilities: { ...CAPABILITIES, extendedAgentCard: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: BEARER } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'work', name, description: said, tags: ['agent'] }],
  } satisfies Card;
}

/** Returns the card of an agent by a version of the protocol; by 0.3, with the interfaces of both, unless given. */
export function presentCard(publicUrl: string, agent: PublishedAgent, version: string | undefined): Card {
  const { securityRequirements, ...card } = cardOf(publicUrl, agent);
  if (version?.startsWith('1.') === true) return { ...card, securityRequirements };
  return {
    ...card,
    protocolVersion: '0.3.0',
    url: urlOf(publicUrl, agent.id),
    preferredTransport: 'JSONRPC',
    capabilities: CAPABILITIES,
    securitySchemes: { bearer: { type: 'http', ...BEARER } },
    security: [{ bearer: [] }],
  };
}

/** Returns what is answered where a host with one agent has its card: this host has agents of many organizations. */
export function hostCardText(publicUrl: string): string {
  return `The agents of many organizations are reached here. Each has a card of its own: ${urlOf(publicUrl, '{agent_id}')}${CARD_PATH}`;
}

const CAPABILITIES = { streaming: true, pushNotifications: true } as const;

const BEARER = { scheme: 'bearer', description: 'An API key or an access token of a member' } as const;

function urlOf(publicUrl: string, agentId: string): string {
  return `${publicUrl}${A2A_PATH}/${agentId}`;
}
