/** The areas that have a `view` and a `manage` key (specification, "Permission keys"), and what they are called. */
export const AREAS = {
  agents: 'Agents',
  personas: 'Personas',
  skills: 'Skills',
  tools: 'Tools',
  mcp_servers: 'MCP servers',
  knowledge_bases: 'Knowledge bases',
  memory: 'Agent memory',
  projects: 'Projects',
  tasks: 'Tasks',
  issues: 'Issues',
  proposals: 'Proposals',
  approvals: 'Approvals',
  schedules: 'Schedules',
  channels: 'Channels',
  providers: 'Providers and chains',
  integrations: 'Integrations',
  marketplace: 'Marketplace',
  webhooks: 'Webhooks',
  settings: 'Settings',
} as const;

/** Areas whose keys may be granted already, and which nothing asks for yet. */
export const RESERVED_AREAS: ReadonlySet<Area> = new Set(['proposals', 'channels']);

/** An area with a `view` and a `manage` key. */
export type Area = keyof typeof AREAS;

/** Returns whether a text is an area with keys of its own. */
export function isArea(text: string): text is Area {
  return Object.hasOwn(AREAS, text);
}
