/** The groups of routes and their topics, for readers of the API's description. */
export const TAGS = {
  Authentication:
    'Creating accounts, setting passwords, and exchanging passwords, invites and refresh tokens for access tokens.',
  Users: 'The signed-in user, their devices and sign-ins.',
  Organizations: 'Tenants, their members and invites.',
  'API keys': 'Keys that let programs act for a user in one organization.',
  Agents: 'Agents, and the templates and persona types to start from.',
  Tools: 'What agents can do: builtin tools, and custom tools that an organization defines in files.',
  Skills: 'Instructions that agents follow, as files in the Agent Skills format.',
  Personas: 'Characters for agents: a prompt, a soul, and the skills and tools that come with it.',
  Memories: 'What an agent remembers across chats.',
  'Knowledge bases': 'Documents of the organization, cut into passages that people and agents search.',
  Providers: 'Accounts with language model providers, and the chains that order them.',
  'MCP servers': 'Model Context Protocol servers whose tools agents can use.',
  Integrations: 'Named credentials for other services, such as code hosts, for projects and custom tools.',
  Destinations: 'Where reports are delivered: mailboxes, chat channels, webhook URLs.',
  Channels: 'Chat service apps in which agents answer members.',
  Permissions: 'Permission groups: keys, limits and allowlists that restrict what members may do.',
  Chats: 'Chats, their messages, and the turns in which agents answer.',
  'OpenAI-compatible': "Agents as models, for programs that use OpenAI's API.",
  MCP: 'Agents and workflows as tools, for clients of the Model Context Protocol.',
  A2A: 'Published agents, for clients of the Agent2Agent protocol.',
  Workflows: 'Prompts sent to agents manually, by a webhook or on a schedule, and their runs.',
  Schedules: 'Prompts sent to agents at set times, and their runs.',
  Tasks: 'Units of work, for people and for agents.',
  Approvals: "Tool calls that wait for a person's decision.",
  Files: 'Files added to a chat for its agent to read.',
  Projects: 'Projects: their agents, chats and activity.',
  Issues: 'Work items of a project, and the comments on them.',
  Marketplace: 'Agents, skills, tools and personas to install.',
  Usage: 'Tokens used, and their cost.',
  Audit: 'Who did what, and which requests were denied.',
  Health: 'Health checks for load balancers and monitors.',
} as const;

/** The name of a group of routes. */
export type Tag = keyof typeof TAGS;
