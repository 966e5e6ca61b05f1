import {
  createDefinition,
  deleteDefinition,
  updateDefinition,
} from '../../db/definition-changes/change-definitions.ts';
import { listDefinitions, listShipped, readDefinition } from '../../db/definitions/read-definitions.ts';
import type { DefinitionContent } from '../../domain/definitions/definition.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { idParams } from '../resources/id-fields.ts';
import {
  divide,
  type DefinitionResource,
  fieldsOf,
  PERSONAS,
  presentDefinition,
  presentDefinitions,
  SKILLS,
  TOOLS,
  withFileIssues,
} from './definition-resources.ts';
import { archiveRoutes } from './archive-routes.ts';
import { fileRoutes } from './file-routes.ts';

export const definitionRoutes = [
  ...recordRoutes(TOOLS),
  ...fileRoutes(TOOLS),
  ...archiveRoutes(TOOLS),
  ...recordRoutes(SKILLS),
  ...fileRoutes(SKILLS),
  ...archiveRoutes(SKILLS),
  ...recordRoutes(PERSONAS),
  ...archiveRoutes(PERSONAS),
];

/** Makes the routes that list, read, add, change and delete the definitions of one kind. */
function recordRoutes(served: DefinitionResource): Route[] {
  const { kind, resource, tag, name, idName, schemas } = served;
  const view = { resource, access: `${resource}.view`, tag } as const;
  const manage = { resource, access: `${resource}.manage`, tag } as const;
  const path = `/api/${resource}` as const;
  const one = `${path}/{${idName}}` as const;
  const params = idParams(idName);
  // The allowlist of personas contains ids, which were checked before.
  const keysOf = (allowed: readonly string[] | undefined) => (kind === 'persona' ? undefined : allowed);
  return [
    defineRoute({
      ...view,
      method: 'get',
      path,
      operationId: `list${name}s`,
      summary: `List the ${resource} available to agents: those of the organization, then builtin ones`,
      description: 'A builtin one is left out when the organization has one with the same key, which overrides it.',
      query: pageQuery,
      response: { status: 200, schema: schemas.shown.array() },
      handler: async ({ caller: { orgId }, query, allowedIds, answerPage }, context) => {
        const { database, definitions } = context;
        const list = { ...query, kind, only: allowedIds };
        const page = await listDefinitions(database, definitions.shipped, orgId, list);
        return presentDefinitions(context, served, orgId, answerPage(page));
      },
    }),
    defineRoute({
      ...view,
      method: 'get',
      path: `${path}/builtin`,
      action: 'view_builtin',
      operationId: `listBuiltin${name}s`,
      summary: `List the ${resource} that ship with the service or that its operator provides`,
      query: pageQuery,
      response: { status: 200, schema: schemas.shown.array() },
      handler: async ({ caller: { orgId }, query, allowedIds, answerPage }, context) => {
        const { database, definitions } = context;
        const all = await listShipped(database, definitions.shipped, orgId, { kind, only: allowedIds });
        return presentDefinitions(context, served, orgId, answerPage(pageOf(all, query)));
      },
    }),
    defineRoute({
      ...view,
      method: 'get',
      path: one,
      operationId: `get${name}`,
      summary: `Get a ${kind}, builtin or not`,
      params,
      response: { status: 200, schema: schemas.shown },
      handler: async ({ caller: { orgId }, params: ids, allowedIds }, context) => {
        const { database, definitions } = context;
        const ref = { orgId, kind, id: ids[idName], onlyKeys: keysOf(allowedIds) };
        return presentDefinition(context, served, orgId, await readDefinition(database, definitions.shipped, ref));
      },
    }),
    defineRoute({
      ...manage,
      method: 'post',
      path,
      operationId: `create${name}`,
      summary: `Add a ${kind}`,
      description: `With the key of a builtin one it overrides that one, in this organization only.`,
      body: schemas.added,
      response: { status: 201, schema: schemas.shown },
      handler: async ({ caller, body }, context) => {
        const { orgId } = caller;
        const { database, definitions } = context;
        const { record: fields, persona } = divide(fieldsOf(schemas.added, body));
        // The schema has said or completed every field of its kind.
        const content = {
          category: 'custom',
          ...fields,
          files: new Map(),
          persona: kind === 'persona' ? persona : null,
        } as DefinitionContent;
        const { id } = await createDefinition(context, caller, kind, content);
        const ref = { orgId, kind, id };
        return presentDefinition(context, served, orgId, await readDefinition(database, definitions.shipped, ref));
      },
    }),
    defineRoute({
      ...manage,
      method: 'patch',
      path: one,
      operationId: `update${name}`,
      summary: `Change a ${kind}; only the given fields change`,
      params,
      body: schemas.changes,
      response: { status: 200, schema: schemas.shown },
      handler: async ({ caller, params: ids, body, expectedVersions: expected }, context) => {
        const { orgId } = caller;
        const { database, definitions } = context;
        const id = ids[idName];
        const changes = divide(fieldsOf(schemas.changes, body));
        await withFileIssues(
          async () => updateDefinition(context, caller, { kind, id, expected }, changes),
          'description',
        );
        const changed = await readDefinition(database, definitions.shipped, { orgId, kind, id });
        return presentDefinition(context, served, orgId, changed);
      },
    }),
    defineRoute({
      ...manage,
      method: 'delete',
      path: one,
      operationId: `delete${name}`,
      summary: `Delete a ${kind}; a builtin one with the same key applies again`,
      description: `Agents that refer to it keep working without it and list it as missing.`,
      params,
      response: { status: 204 },
      handler: async ({ caller, params: ids, expectedVersions: expected }, context) =>
        deleteDefinition(context, caller, { kind, id: ids[idName], expected }),
    }),
  ];
}
