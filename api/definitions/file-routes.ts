import { z } from 'zod';
import { deleteDefinitionFile, writeDefinitionFile } from '../../db/definition-changes/change-definitions.ts';
import {
  listDefinitionFiles,
  listShippedFiles,
  readDefinition,
  readDefinitionFile,
} from '../../db/definitions/read-definitions.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { pathIssue } from '../../domain/definitions/files.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { idParams } from '../resources/id-fields.ts';
import { type DefinitionResource, withFileIssues } from './definition-resources.ts';
import { fileContentSchema, fileItemSchema, fileSchema } from './schema.ts';

const filePath = z
  .string()
  .refine((path) => pathIssue(path) === undefined, { error: ({ input }) => pathIssue(String(input)) ?? '' })
  .meta({ description: 'Path of the file; slashes may be sent as they are or as %2F' });

/** Makes the routes of the files of tools or skills. */
export function fileRoutes({ kind, resource, tag, name, idName }: DefinitionResource): Route[] {
  const view = { resource, access: `${resource}.view`, tag } as const;
  const manage = { resource, access: `${resource}.manage`, tag } as const;
  const all = `/api/${resource}/{${idName}}/files` as const;
  const one = { path: `${all}/{file_path}`, takesRestOfPath: true } as const;
  const params = idParams(idName);
  const fileParams = params.extend({ file_path: filePath });
  return [
    defineRoute({
      ...view,
      method: 'get',
      path: all,
      action: 'view_files',
      operationId: `list${name}Files`,
      summary: `List the files of a ${kind}, sorted by path`,
      params,
      query: pageQuery,
      response: { status: 200, schema: fileItemSchema.array() },
      handler: async ({ caller: { orgId }, params: ids, query, allowedIds, answerPage }, { database, definitions }) => {
        const id = ids[idName];
        const { shipped } = definitions;
        await readDefinition(database, shipped, { orgId, kind, id, onlyKeys: allowedIds });
        const builtin = shipped.findById(kind, id);
        const files = builtin ? listShippedFiles(builtin) : await listDefinitionFiles(database, orgId, id);
        return answerPage(pageOf(files, query)).map(presenter(fileItemSchema));
      },
    }),
    defineRoute({
      ...view,
      ...one,
      method: 'get',
      action: 'view_file',
      operationId: `get${name}File`,
      summary: `Get a file of a ${kind}`,
      params: fileParams,
      response: { status: 200, schema: fileSchema },
      handler: async ({ caller: { orgId }, params: { file_path: path, ...ids }, allowedIds }, context) => {
        const { database, definitions } = context;
        const ref = { orgId, kind, id: ids[idName], onlyKeys: allowedIds };
        const file = await readDefinitionFile(database, definitions.shipped, ref, path);
        if (file === undefined) throw notFound('File');
        return present(fileSchema, file);
      },
    }),
    defineRoute({
      ...manage,
      ...one,
      method: 'put',
      action: 'write_file',
      operationId: `write${name}File`,
      summary: `Write a file of a ${kind}`,
      description:
        'The file is validated on its own: front matter of SKILL.md must be readable, tool.json must match its record, and http.json must be a request.',
      params: fileParams,
      body: fileContentSchema,
      response: { status: 200, schema: fileSchema },
      handler: async ({ caller, params: { file_path: path, ...ids }, body, expectedVersions: expected }, context) => {
        const { orgId } = caller;
        const { database, definitions } = context;
        const id = ids[idName];
        const file = { path, ...body };
        await withFileIssues(async () => writeDefinitionFile(context, caller, { kind, id, expected }, file), 'content');
        const written = await readDefinitionFile(database, definitions.shipped, { orgId, kind, id }, path);
        if (written === undefined) throw notFound('File');
        return present(fileSchema, written);
      },
    }),
    defineRoute({
      ...manage,
      ...one,
      method: 'delete',
      action: 'delete_file',
      operationId: `delete${name}File`,
      summary: `Delete a file of a ${kind}`,
      params: fileParams,
      response: { status: 204 },
      handler: async ({ caller, params: { file_path: path, ...ids }, expectedVersions: expected }, context) =>
        deleteDefinitionFile(context, caller, { kind, id: ids[idName], expected }, path),
    }),
  ];
}
