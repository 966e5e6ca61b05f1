import { z } from 'zod';
import {
  deleteFile,
  listDefinitionFiles,
  listShippedFiles,
  readDefinition,
  readDefinitionFile,
  requireFileVersion,
} from '../../db/definitions/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { pathIssue } from '../../domain/definitions/index.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { idParams } from '../resources/id-fields.ts';
import { checkChangeDirects, lockChangeable, rejectBuiltin } from './checks/index.ts';
import type { Family } from './family.ts';
import { fileContentSchema, fileItemSchema, fileSchema } from './schema.ts';
import { writeDefinitionFile } from './write-definition-file.ts';

const filePath = z
  .string()
  .refine((path) => pathIssue(path) === undefined, { error: ({ input }) => pathIssue(String(input)) ?? '' })
  .meta({ description: 'Path of the file; slashes may stand in it as they are, or as %2F' });

/** Makes the routes of the files of tools or skills. */
export function fileRoutes({ kind, resource, tag, name, idName }: Family): Route[] {
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
      summary: `The files of a ${kind}, in the order of their paths`,
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
      summary: `One file of a ${kind}`,
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
        'It is checked by itself: SKILL.md must have front matter, tool.json must fit its record, and http.json must be a request.',
      params: fileParams,
      body: fileContentSchema,
      response: { status: 200, schema: fileSchema },
      handler: async ({ caller, params: { file_path: path, ...ids }, body, allowedIds, expectedVersions }, context) => {
        const { orgId } = caller;
        const { database, definitions } = context;
        const id = ids[idName];
        rejectBuiltin(definitions.shipped, kind, id);
        const wanted = { caller, kind, id, allowedKeys: allowedIds, expectedVersions };
        await writeDefinitionFile(context, wanted, { path, ...body });
        const file = await readDefinitionFile(database, definitions.shipped, { orgId, kind, id }, path);
        if (file === undefined) throw notFound('File');
        return present(fileSchema, file);
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
      handler: async ({ caller, params: { file_path: path, ...ids }, allowedIds, expectedVersions }, context) => {
        const id = ids[idName];
        rejectBuiltin(context.definitions.shipped, kind, id);
        const wanted = { caller, kind, id, allowedKeys: allowedIds };
        await checkChangeDirects(context, wanted);
        await withOrgTransaction(context.database, caller.orgId, async (em) => {
          const record = await lockChangeable(em, context.definitions.shipped, wanted);
          await requireFileVersion(em, record, path, expectedVersions);
          await deleteFile(em, record, path);
        });
      },
    }),
  ];
}
