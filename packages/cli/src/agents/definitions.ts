import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import type { Everturn } from '../../../sdk/src/index.ts';
import { Failure, parseJsonObject } from '../failure.ts';
import { promptOf } from './agent-files.ts';
import type { Folder, RecordFiles } from './folder.ts';

/** A tool, a skill or a persona as a list shows it. */
export interface Definition {
  readonly id: string;
  readonly key: string;
  readonly origin: 'builtin' | 'custom' | 'marketplace';
}

/** What a record's files have become. */
interface Change {
  readonly id: string;
  readonly former: RecordFiles;
  readonly files: RecordFiles;
}

/** The definitions of one kind at a server. */
interface DefinitionRoutes {
  readonly list: (client: Everturn) => AsyncIterable<Definition>;
  readonly archive: (client: Everturn, id: string) => Promise<Response>;
  readonly add: (client: Everturn, archive: Blob) => Promise<unknown>;
  readonly change: (client: Everturn, change: Change) => Promise<void>;
}

/** The kinds of definitions, in an order in which what is referred to comes first. */
export const DEFINITION_ROUTES: Readonly<Record<Exclude<Folder, 'agents'>, DefinitionRoutes>> = {
  tools: {
    list: (client) => client.list('/api/tools'),
    archive: async (client, id) => client.fetch('GET', '/api/tools/{tool_id}/export', { path: { tool_id: id } }),
    add: async (client, body) => client.request('POST', '/api/tools/import', { body }),
    change: async (client, { id, former, files }) => {
      const path = (file: string) => ({ path: { tool_id: id, file_path: file } });
      for (const [file, content] of changed(former, files))
        await client.request('PUT', '/api/tools/{tool_id}/files/{file_path}', { ...path(file), body: { content } });
      for (const file of removed(former, files))
        await client.request('DELETE', '/api/tools/{tool_id}/files/{file_path}', path(file));
    },
  },
  skills: {
    list: (client) => client.list('/api/skills'),
    archive: async (client, id) => client.fetch('GET', '/api/skills/{skill_id}/export', { path: { skill_id: id } }),
    add: async (client, body) => client.request('POST', '/api/skills/import', { body }),
    change: async (client, { id, former, files }) => {
      const path = (file: string) => ({ path: { skill_id: id, file_path: file } });
      for (const [file, content] of changed(former, files))
        if (file !== SKILL_RECORD)
          await client.request('PUT', '/api/skills/{skill_id}/files/{file_path}', { ...path(file), body: { content } });
      for (const file of removed(former, files))
        if (file !== SKILL_RECORD)
          await client.request('DELETE', '/api/skills/{skill_id}/files/{file_path}', path(file));
      const record = files.get(SKILL_RECORD);
      if (record === undefined) return;
      const { key: _key, ...body } = parseJsonObject(record) as Record<string, never>;
      await client.request('PATCH', '/api/skills/{skill_id}', { path: { skill_id: id }, body });
    },
  },
  personas: {
    list: (client) => client.list('/api/personas'),
    archive: async (client, id) =>
      client.fetch('GET', '/api/personas/{persona_id}/export', { path: { persona_id: id } }),
    add: async (client, body) => client.request('POST', '/api/personas/import', { body }),
    change: async (client, { id, files }) => {
      const { key: _key, ...fields } = parseJsonObject(files.get('persona.json') ?? '{}') as Record<string, never>;
      const body = { ...fields, system_prompt: promptOf(files) };
      await client.request('PATCH', '/api/personas/{persona_id}', { path: { persona_id: id }, body });
    },
  },
};

/** Says of a skill what its SKILL.md does not; it is no file of the skill. */
const SKILL_RECORD = 'skill.json';

/** Returns the files of a definition as the server exports them. */
export async function exportFiles(
  client: Everturn,
  folder: keyof typeof DEFINITION_ROUTES,
  id: string,
): Promise<RecordFiles> {
  const response = await DEFINITION_ROUTES[folder].archive(client, id);
  const files = Object.entries(unzipSync(new Uint8Array(await response.arrayBuffer())));
  return new Map(files.map(([path, bytes]) => [path.slice(path.indexOf('/') + 1), strFromU8(bytes)]));
}

/** Adds a definition of these files. */
export async function addDefinition(
  client: Everturn,
  folder: keyof typeof DEFINITION_ROUTES,
  { key, files }: { readonly key: string; readonly files: RecordFiles },
): Promise<void> {
  const entries = [...files].map(([path, content]) => [`${key}/${path}`, strToU8(content)] as const);
  const archive = new Blob([new Uint8Array(zipSync(Object.fromEntries(entries)))], { type: 'application/zip' });
  try {
    await DEFINITION_ROUTES[folder].add(client, archive);
  } catch (error) {
    throw new Failure(`${folder}/${key}: ${error instanceof Error ? error.message : String(error)}`, undefined, {
      cause: error,
    });
  }
}

function changed(former: RecordFiles, files: RecordFiles): [string, string][] {
  return [...files].filter(([path, content]) => former.get(path) !== content);
}

function removed(former: RecordFiles, files: RecordFiles): string[] {
  return [...former.keys()].filter((path) => !files.has(path));
}
