import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import {
  MAX_ARCHIVE_BYTES,
  readArchive,
  readDefinitionFolder,
  writeArchive,
  writeDefinitionFolder,
} from '../../definition-files/index.ts';
import { checkContent, createDefinition } from '../../db/definition-changes/change-definitions.ts';
import { readDefinition, readDefinitionContent } from '../../db/definitions/read-definitions.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { formatBytes } from '../../domain/core/text.ts';
import { type DefinitionContent, type DefinitionKind, recordFields } from '../../domain/definitions/definition.ts';
import { requireAllowed } from '../../domain/permissions/restrict.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineDownloadRoute, defineUploadRoute, type Route } from '../http/define-route.ts';
import type { FileReply } from '../http/replies/file-reply.ts';
import { idParams } from '../resources/id-fields.ts';
import { type DefinitionResource, presentDefinition, withFileIssues } from './definition-resources.ts';

const ZIP = 'application/zip';

/** Makes the routes that export definitions of one kind as ZIP archives, and import them. */
export function archiveRoutes(served: DefinitionResource): Route[] {
  const { kind, resource, tag, name, idName, schemas } = served;
  const view = { resource, access: `${resource}.view`, tag } as const;
  const path = `/api/${resource}` as const;
  const keysOf = (allowed: readonly string[] | undefined) => (kind === 'persona' ? undefined : allowed);
  return [
    defineDownloadRoute({
      ...view,
      method: 'get',
      path: `${path}/{${idName}}/export`,
      action: 'export',
      operationId: `export${name}`,
      summary: `Export a ${kind} as a ZIP archive, builtin or not`,
      description: 'The archive contains one folder, named after the key. The same content produces the same bytes.',
      params: idParams(idName),
      response: { status: 200, download: 'The archive', mediaType: 'application/zip' },
      handler: async ({ caller, params: ids, allowedIds }, context, reply) => {
        const { database, definitions } = context;
        const { orgId } = caller;
        const id = ids[idName];
        const builtin = definitions.shipped.findById(kind, id);
        if (builtin !== undefined && kind !== 'persona') requireAllowed(caller.policy, resource, builtin.key);
        const ref = { orgId, kind, id, onlyKeys: keysOf(allowedIds) };
        await sendArchive(context, caller, reply, {
          kind,
          read: async () => builtin ?? readDefinitionContent(database, ref),
        });
      },
    }),
    defineDownloadRoute({
      ...view,
      method: 'get',
      path: `${path}/builtin/{key}/export`,
      action: 'export_builtin',
      operationId: `exportBuiltin${name}`,
      summary: `Export a builtin ${kind} as a ZIP archive`,
      params: z.object({ key: recordFields.key.meta({ description: `Key of the ${kind}` }) }),
      response: { status: 200, download: 'The archive', mediaType: 'application/zip' },
      handler: async ({ caller, params: { key }, allowedIds }, context, reply) => {
        const builtin = context.definitions.shipped.find(kind, key);
        const isAllowed =
          allowedIds === undefined || allowedIds.includes(kind === 'persona' ? (builtin?.id ?? '') : key);
        if (builtin === undefined || !isAllowed) throw notFound(name);
        await sendArchive(context, caller, reply, { kind, read: async () => builtin });
      },
    }),
    defineUploadRoute({
      ...view,
      access: `${resource}.manage`,
      method: 'post',
      path: `${path}/import`,
      operationId: `import${name}`,
      summary: `Add a ${kind} from a ZIP archive`,
      description: `The archive is one that was exported, or the files of a ${kind}, either in a folder named after its key or at the top level. 409 when the organization already has one with this key.`,
      query: z.strictObject({
        key: recordFields.key
          .optional()
          .meta({ description: `The key of the new ${kind}, overriding the one in its folder name and files` }),
      }),
      upload: { description: `The archive, at most ${formatBytes(MAX_ARCHIVE_BYTES)}`, mediaType: ZIP },
      response: { status: 201, schema: schemas.shown },
      handler: async ({ caller, query, receive, authorizeAgain }, context) => {
        const { orgId } = caller;
        const { database, definitions } = context;
        const bounds = { maxBytes: MAX_ARCHIVE_BYTES, isBuffered: true };
        const bytes = await receive(bounds, async (file) => buffer(file.bytes));
        const content = await withFileIssues(async () => {
          const { folder, files } = await readArchive(bytes);
          const read = readDefinitionFolder(kind, folder, files, { wanted: query.key });
          await checkContent(context, caller, kind, read);
          return read;
        }, 'file');
        await authorizeAgain();
        const { id } = await createDefinition(context, caller, kind, content);
        const ref = { orgId, kind, id };
        return presentDefinition(context, served, orgId, await readDefinition(database, definitions.shipped, ref));
      },
    }),
  ];
}

interface Exported {
  readonly kind: DefinitionKind;
  readonly read: () => Promise<DefinitionContent>;
}

// The archive stays in memory until its reader has it, so each reader may have few of them.
async function sendArchive(
  { downloads }: ApiContext,
  caller: OrgCaller,
  reply: FileReply,
  { kind, read }: Exported,
): Promise<void> {
  const leave = downloads.acquire(caller);
  try {
    const { key, archive } = await makeArchive({ kind, read });
    await reply.send({
      tag: createHash('sha256').update(archive).digest('hex'),
      name: `${key}.zip`,
      mediaType: ZIP,
      size: archive.length,
      read: ({ start, end }) => archive.subarray(start, end + 1),
    });
  } finally {
    leave();
  }
}

async function makeArchive({ kind, read }: Exported): Promise<{ readonly key: string; readonly archive: Buffer }> {
  const content = await read();
  return {
    key: content.key,
    archive: await buffer(writeArchive(content.key, writeDefinitionFolder(kind, content))),
  };
}
