import type { Everturn } from '../../../sdk/src/index.ts';
import {
  fileable,
  type FiledAgent,
  objectOf,
  PROMPT_FILE,
  promptFileOf,
  promptOf,
  readAgent,
  writeAgent,
} from './agent-files.ts';
import { addDefinition, exportFiles, DEFINITION_ROUTES } from './definitions.ts';
import type { Folder, RecordFiles, Records } from './folder.ts';
import { ServerState } from './server-state.ts';

/** What is to be done for a record of a directory to be on a server as it is there. */
export interface Step {
  readonly action: 'add' | 'change' | 'none';
  readonly folder: Folder;
  readonly key: string;
  /** The files as the server has them; none when it has no such record. */
  readonly former: RecordFiles;
  readonly files: RecordFiles;
  readonly apply: () => Promise<void>;
}

/**
 * Compares the records of a directory with those of a server. Definitions come before the agents that use them. Throws
 * a `Failure` for files that cannot be brought there, before anything is changed.
 */
export async function planOf(client: Everturn, records: Records): Promise<Step[]> {
  const state = await ServerState.read(client);
  const steps: Step[] = [];
  for (const folder of ['tools', 'skills', 'personas'] as const)
    for (const [key, given] of records[folder]) {
      const record = `${folder.slice(0, -1)}.json`;
      objectOf(given.get(record) ?? '{}', `${folder}/${key}/${record}`);
      const files = folder === 'personas' ? new Map([...given, [PROMPT_FILE, promptFileOf(promptOf(given))]]) : given;
      const own = state.ownOf(folder, key);
      if (own === undefined) {
        const apply = async () => addDefinition(client, folder, { key, files });
        steps.push({ action: 'add', folder, key, former: new Map(), files, apply });
        continue;
      }
      const former = await exportFiles(client, folder, own.id);
      const apply = async () => DEFINITION_ROUTES[folder].change(client, { id: own.id, former, files });
      steps.push({ action: isSame(former, files) ? 'none' : 'change', folder, key, former, files, apply });
    }
  for (const [key, files] of records.agents) {
    const agent = readAgent(key, files);
    const { persona } = agent;
    if (typeof persona === 'string' && !records.personas.has(persona)) state.personaIdOf(persona);
    steps.push(await planAgent(client, state, key, agent));
  }
  return steps;
}

async function planAgent(client: Everturn, state: ServerState, key: string, agent: FiledAgent): Promise<Step> {
  const found = state.agentOf(agent.name);
  const files = writeAgent(agent);
  const head = { folder: 'agents', key } as const;
  // The personas of the directory have been added by then.
  const bodyOf = async ({ persona, ...fields }: FiledAgent) => ({
    ...fields,
    ...(persona !== undefined && {
      persona_id: persona === null ? null : (await ServerState.read(client)).personaIdOf(persona),
    }),
  });
  if (found === undefined) {
    const apply = async () => void (await client.request('POST', '/api/agents', { body: await bodyOf(agent) }));
    return { ...head, action: 'add', former: new Map(), files, apply };
  }
  const stored = await state.readAgent(found.id);
  const known = fileable(stored, state.personaKeyOf(stored.persona_id));
  // What a file does not say stays as it is.
  const former = writeAgent(known);
  const wanted = writeAgent({ ...known, ...agent });
  const apply = async () => {
    const path = { agent_id: found.id };
    // Changes by others in the meantime are not overwritten.
    const headers = { 'If-Match': `"${stored.updated_at}"` };
    await client.request('PATCH', '/api/agents/{agent_id}', { path, headers, body: await bodyOf(agent) });
  };
  return { ...head, action: isSame(former, wanted) ? 'none' : 'change', former, files: wanted, apply };
}

function isSame(one: RecordFiles, other: RecordFiles): boolean {
  return one.size === other.size && [...one].every(([path, content]) => other.get(path) === content);
}
