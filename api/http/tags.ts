/** The groups of routes and their topics, for readers of the API's description. */
export const TAGS = {
  Authentication:
    'Creating accounts, setting passwords, and exchanging passwords, invites and refresh tokens for access tokens.',
  Users: 'The signed-in user, their devices and sign-ins.',
  Organizations: 'Tenants, their members and invites.',
  'API keys': 'Keys with which programs act for a user in one organization.',
  Agents: 'Agents, and the templates and persona types to start from.',
  Tools: 'What agents can do: builtin tools, and those that an organization defines in files.',
  Skills: 'Instructions that agents follow, in files of the Agent Skills layout.',
  Personas: 'Characters for agents: a prompt, a soul, and the skills and tools that come with it.',
  Memories: 'What an agent remembers across chats.',
  'Knowledge bases': 'Documents of the organization, cut into passages that people and agents search.',
  Providers: 'Accounts at providers of language models, and the chains that order them.',
  'MCP servers': 'Servers of the model context protocol, whose tools agents can be given.',
  Integrations: 'Named credentials for other services, such as code hosts, for projects and custom tools.',
  Destinations: 'Where reports are delivered: mailboxes, channels of chat services, addresses.',
  Channels: 'Apps of chat services in which agents answer members.',
  Permissions: 'Permission groups: keys, limits and allowlists that restrict what members may do.',
  Chats: 'Chats, their messages, and the turns in which an agent answers.',
  'OpenAI-compatible': "Agents as models, for programs that know OpenAI's API.",
  MCP: 'Agents and workflows as tools, for clients of the Model Context Protocol.',
  A2A: 'Published agents, for clients of the Agent2Agent protocol.',
  Workflows: 'Prompts that agents are given by hand or by a webhook, and their runs.',
  Schedules: 'Prompts that agents are given at set times, and their runs.',
  Tasks: 'Units of work, for people and for agents.',
  Approvals: 'Tool calls that wait for a decision of a person.',
  Files: 'Files that are added to a chat, for its agent to read.',
  Projects: 'Bodies of work: their agents, their chats, and what was done in them.',
  Issues: 'What is to be done in a project, and what was said about it.',
  Marketplace: 'Agents, skills, tools and personas to install.',
  Usage: 'Tokens that were used, and what they cost.',
  Audit: 'Who did what, and what was denied.',
  Health: 'Health checks for load balancers and monitors.',
} as const;

/** The name of a group of routes. */
export type Tag = keyof typeof TAGS;
