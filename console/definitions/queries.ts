import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { SKILL_CATEGORIES } from '../../domain/definitions/files.ts';
import { TOOL_CATEGORIES } from '../../domain/tools/category.ts';
import { type PermissionKey, useRedirectRefusal, useRefusal } from '../core/permissions.ts';
import { type Pages, useAnswer, usePages } from '../core/http/use-answer.ts';
import { answerOf, ifMatch, pageOf } from '../core/http/api-client.ts';
import { problemOfBody } from '../core/http/problem.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import type { NewFile } from './files/starter-files.ts';

/** The kinds of what agents are made of, as their routes and pages are called. */
const KIND_KEYS = ['skills', 'personas', 'tools'] as const;

/** One kind of what agents are made of: all kinds have the same pages, as far as they have what those show. */
export interface DefinitionKind {
  readonly key: (typeof KIND_KEYS)[number];
  readonly list: '/o/$orgId/skills' | '/o/$orgId/personas' | '/o/$orgId/tools';
  readonly page:
    | '/o/$orgId/skills/$definitionId'
    | '/o/$orgId/personas/$definitionId'
    | '/o/$orgId/tools/$definitionId';
  readonly manage: PermissionKey;
  /** The file that says what it is; a persona has none, all of it is in its record. */
  readonly mainFile?: string;
}

export const SKILLS: DefinitionKind = {
  key: 'skills',
  list: '/o/$orgId/skills',
  page: '/o/$orgId/skills/$definitionId',
  manage: 'skills.manage',
  mainFile: 'SKILL.md',
};

export const PERSONAS: DefinitionKind = {
  key: 'personas',
  list: '/o/$orgId/personas',
  page: '/o/$orgId/personas/$definitionId',
  manage: 'personas.manage',
};

export const TOOLS: DefinitionKind = {
  key: 'tools',
  list: '/o/$orgId/tools',
  page: '/o/$orgId/tools/$definitionId',
  manage: 'tools.manage',
  mainFile: 'tool.json',
};

/** The categories that those of a kind can have; personas have none. */
export const CATEGORIES: Readonly<Record<DefinitionKind['key'], readonly string[]>> = {
  skills: SKILL_CATEGORIES,
  personas: [],
  tools: TOOL_CATEGORIES,
};

type Schemas = components['schemas'];
type OfTools = Pick<Schemas['Tool'], 'usable' | 'problem' | 'available' | 'reason' | 'only_in_chats'>;
type OfPersonas = Pick<Schemas['Persona'], 'icon' | 'system_prompt' | 'soul'> & {
  readonly default_skills: readonly string[];
  readonly default_tools: readonly string[];
};

/** A skill, a persona or a tool; what only some kinds have is missing in the others. */
export type Definition = Omit<Schemas['Tool'], keyof OfTools | 'category'> &
  Partial<OfTools> &
  Partial<OfPersonas> & { readonly category?: string };
export type FileItem = Schemas['DefinitionFileItem'];
export type DefinitionFile = Schemas['DefinitionFile'];
export type TestRunResult = Schemas['ToolTestResult'];
/** The fields of a record that a form sets. */
export type DefinitionFields = Partial<
  Pick<Definition, 'key' | 'name' | 'description' | 'category' | 'version'> & OfPersonas
>;

/** Returns why one of a kind cannot be changed or deleted by the user: undefined when they may. */
export function useChangeRefusal(
  { key, manage }: DefinitionKind,
  { origin, owner_id: ownerId }: Pick<Definition, 'origin' | 'owner_id'>,
): string | undefined {
  const [refusal, refusalOfTool] = [useRefusal(manage), useRedirectRefusal(manage, ownerId)];
  return key === 'tools' && origin !== 'builtin' ? refusalOfTool : refusal;
}

const LIMIT = 1_000;

// All kinds have the routes of tools under their own name, so that the types of those stand for all.
function routeOf<P extends `/api/tools${string}`>({ key }: DefinitionKind, path: P): P {
  return path.replace('/api/tools', `/api/${key}`) as P;
}

/**
 * Returns what agents can be given of a kind: what the organization has, then builtin ones that it has not replaced.
 */
export function useDefinitions(kind: DefinitionKind): Pages<Definition> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages<Definition>({
    queryKey: [orgId, kind.key, 'list'],
    read: async ({ signal, ...query }) =>
      pageOf<Definition>(api.GET(routeOf(kind, '/api/tools'), { params: { query }, signal })),
    keyOf: ({ id }) => id,
    pageSize: LIMIT,
  });
}

/** Returns one of a kind, builtin or own. */
export function useDefinition(kind: DefinitionKind, id: string): UseQueryResult<Definition> {
  return useAnswer([kind.key, 'one', id], routeOf(kind, '/api/tools/{tool_id}'), {
    params: { path: { tool_id: id } },
  });
}

/** Returns the files of a skill or tool, in the order of their paths. */
export function useFiles(kind: DefinitionKind, id: string): UseQueryResult<FileItem[]> {
  return useAnswer([kind.key, 'files', id], routeOf(kind, '/api/tools/{tool_id}/files'), {
    params: { path: { tool_id: id }, query: { limit: LIMIT } },
  });
}

/** Returns one file with its content. */
export function useFile(kind: DefinitionKind, id: string, path: string): UseQueryResult<DefinitionFile> {
  return useAnswer([kind.key, 'files', id, path], routeOf(kind, '/api/tools/{tool_id}/files/{file_path}'), {
    params: { path: { tool_id: id, file_path: path } },
  });
}

/** Returns what adds, changes, exports and deletes those of a kind, and reads them again. */
export function useDefinitionActions(kind: DefinitionKind) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, kind.key] });
  const one = routeOf(kind, '/api/tools/{tool_id}');
  const at = (id: string) => ({ path: { tool_id: id } });
  const download = async (id: string): Promise<Blob> => {
    const { data, error, response } = await api.GET(routeOf(kind, '/api/tools/{tool_id}/export'), {
      params: at(id),
      parseAs: 'blob',
    });
    if (!response.ok || data === undefined) throw problemOfBody(response, error);
    return data;
  };
  const upload = async (archive: Blob, key?: string): Promise<Definition> => {
    const added = await answerOf<Definition>(
      api.POST(routeOf(kind, '/api/tools/import'), {
        params: { query: key === undefined ? {} : { key } },
        headers: { 'Content-Type': 'application/zip' },
        body: archive,
        bodySerializer: (body: unknown) => body as Blob,
      } as never),
    );
    await read();
    return added;
  };
  return {
    read,
    download,
    upload,
    add: async (body: DefinitionFields): Promise<Definition> => {
      const added = await answerOf<Definition>(api.POST(routeOf(kind, '/api/tools'), { body: body as never }));
      await read();
      return added;
    },
    /** Stores changed fields; throws a 412 when the record was changed since `version`, unless that is left out. */
    change: async (id: string, body: DefinitionFields, version?: string) => {
      await answerOf(api.PATCH(one, { params: { ...at(id), header: ifMatch(version) }, body: body as never }));
      await read();
    },
    remove: async (id: string) => {
      await answerOf(api.DELETE(one, { params: at(id) }));
      // Its own page, which is about to be left, is not read again: it would show that there is nothing.
      const queryKey = [orgId, kind.key];
      void cache.invalidateQueries({ queryKey, refetchType: 'none' });
      await cache.refetchQueries({ queryKey, type: 'active', predicate: (query) => !query.queryKey.includes(id) });
    },
  };
}

/** Returns what writes and deletes the files of a skill or tool, and reads them again. */
export function useFileActions(kind: DefinitionKind, id: string) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, kind.key] });
  const one = routeOf(kind, '/api/tools/{tool_id}/files/{file_path}');
  const at = (path: string) => ({ path: { tool_id: id, file_path: path } });
  return {
    read,
    /** Writes a file; throws a 412 when it was written since `version`, unless that is left out. */
    write: async (path: string, content: string, version?: string) => {
      await answerOf(api.PUT(one, { params: { ...at(path), header: ifMatch(version) }, body: { content } }));
      await read();
    },
    /** Deletes a file; throws a 412, and reads it again, when it was written since `version`. */
    remove: async (path: string, version: string) => {
      try {
        await answerOf(api.DELETE(one, { params: { ...at(path), header: ifMatch(version) } }));
      } finally {
        await read();
      }
    },
  };
}

/** Returns what writes the first files of something that was just added. */
export function useNewFiles(kind: DefinitionKind): (id: string, files: readonly NewFile[]) => Promise<void> {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return async (id, files) => {
    const one = routeOf(kind, '/api/tools/{tool_id}/files/{file_path}');
    try {
      for (const { path, content } of files) {
        const params = { path: { tool_id: id, file_path: path } };
        // oxlint-disable-next-line no-await-in-loop -- their order counts
        await answerOf(api.PUT(one, { params, body: { content } }));
      }
    } finally {
      await cache.invalidateQueries({ queryKey: [orgId, kind.key] });
    }
  };
}

/** Returns what makes one call of a tool, for real. */
export function useTestRun(id: string): (args: Readonly<Record<string, unknown>>) => Promise<TestRunResult> {
  const api = useApi();
  return async (args) =>
    answerOf(
      api.POST('/api/tools/{tool_id}/test', { params: { path: { tool_id: id } }, body: { arguments: { ...args } } }),
    );
}
