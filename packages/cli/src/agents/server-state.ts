import type { Everturn, Schemas } from '../../../sdk/src/index.ts';
import { Failure } from '../failure.ts';
import { fileable, folderNameOf, writeAgent } from './agent-files.ts';
import { type Definition, exportFiles, DEFINITION_ROUTES } from './definitions.ts';
import { noRecords, type Records } from './folder.ts';

/** The agents of a server and what they refer to, to be filed. */
export class ServerState {
  readonly agents: readonly Schemas['AgentListItem'][];
  readonly definitions: Readonly<Record<keyof typeof DEFINITION_ROUTES, readonly Definition[]>>;
  readonly #client: Everturn;

  private constructor(client: Everturn, agents: ServerState['agents'], definitions: ServerState['definitions']) {
    this.#client = client;
    this.agents = agents;
    this.definitions = definitions;
  }

  /** Reads the lists of a server. */
  static async read(client: Everturn): Promise<ServerState> {
    const agents = (await all(client.list('/api/agents'))).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const [tools, skills, personas] = await Promise.all([
      all(DEFINITION_ROUTES.tools.list(client)),
      all(DEFINITION_ROUTES.skills.list(client)),
      all(DEFINITION_ROUTES.personas.list(client)),
    ]);
    return new ServerState(client, agents, { tools, skills, personas });
  }

  /** Returns the agent with a name. Throws a `Failure` when several have it. */
  agentOf(name: string): Schemas['AgentListItem'] | undefined {
    const [first, second] = this.agents.filter((agent) => agent.name === name);
    if (second !== undefined) throw new Failure(`Several agents are named "${name}": rename all but one of them.`);
    return first;
  }

  /** Returns the definition of the organization's own with a key. */
  ownOf(folder: keyof typeof DEFINITION_ROUTES, key: string): Definition | undefined {
    return this.definitions[folder].find((each) => each.key === key && each.origin !== 'builtin');
  }

  async readAgent(id: string): Promise<Schemas['Agent']> {
    return this.#client.request('GET', '/api/agents/{agent_id}', { path: { agent_id: id } });
  }

  /** Returns the key of the persona with an id. */
  personaKeyOf(id: string | null): string | null {
    return this.definitions.personas.find((persona) => persona.id === id)?.key ?? null;
  }

  /** Returns the id of the persona with a key. Throws a `Failure` when there is none. */
  personaIdOf(key: string): string {
    const found = this.definitions.personas.find((persona) => persona.key === key);
    if (found === undefined) throw new Failure(`There is no persona with the key "${key}".`);
    return found.id;
  }

  /** Returns the files of agents, and of own definitions that they refer to. */
  async recordsOf(wanted: readonly { readonly id: string }[], remark: (text: string) => void): Promise<Records> {
    const records = noRecords();
    const keys = { tools: new Set<string>(), skills: new Set<string>(), personas: new Set<string>() };
    for (const { id } of wanted) {
      const agent = await this.readAgent(id);
      const persona = this.personaKeyOf(agent.persona_id);
      const taken = new Set(records.agents.keys());
      records.agents.set(folderNameOf(agent.name, taken), writeAgent(fileable(agent, persona)));
      for (const key of agent.tools) keys.tools.add(key);
      for (const key of agent.skills) keys.skills.add(key);
      if (persona !== null) keys.personas.add(persona);
      if (agent.mcps.length > 0 || agent.knowledge_base_ids !== null || agent.provider_chain_id !== null)
        remark(
          `${agent.name}: its MCP servers, knowledge bases and provider chain are of this server, and stay there.`,
        );
    }
    for (const folder of ['tools', 'skills', 'personas'] as const)
      for (const key of [...keys[folder]].toSorted()) {
        const own = this.ownOf(folder, key);
        if (own !== undefined) records[folder].set(key, await exportFiles(this.#client, folder, own.id));
      }
    return records;
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}
