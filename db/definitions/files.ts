import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { formatBytes } from '../../domain/core/text.ts';
import type { DefinitionFiles } from '../../domain/definitions/definition.ts';
import { findPathClash, MAX_DEFINITION_BYTES, MAX_FILES } from '../../domain/definitions/files.ts';
import { orgLimitReached, type OrgLimits } from '../../domain/orgs.ts';
import { type ExpectedVersions, requireVersion } from '../../domain/resources.ts';
import { lockForOwner, totalOfOwner } from '../orgs/require-room.ts';
import type { DefinitionRecord } from './definition.entity.ts';

// Every write takes the lock of the definition first (`lockDefinition`), and measures afterwards: triggers count the
// files and their bytes, and a transaction that has gone too far is rolled back.

/**
 * Adds or replaces a file of a locked definition; `conflict` when it goes beyond a limit or clashes with another file.
 */
export async function writeFile(
  em: EntityManager,
  record: DefinitionRecord,
  { path, content }: { readonly path: string; readonly content: string },
  limits: OrgLimits,
): Promise<void> {
  await em.execute(
    `insert into definition_files (definition_id, org_id, path, content) values (?, ?, ?, ?)
      on conflict (definition_id, path) do update set content = excluded.content, updated_at = now()`,
    [record.id, record.orgId, path, content],
  );
  await checkPaths(em, record);
  await checkSize(em, record, limits);
}

/** Returns a file of a locked definition; `undefined` when it has none at this path. */
export async function readOwnFile(
  em: EntityManager,
  { id }: DefinitionRecord,
  path: string,
): Promise<string | undefined> {
  const [file] = await em.execute<{ content: string }[]>(
    'select content from definition_files where definition_id = ? and path = ?',
    [id, path],
  );
  return file?.content;
}

/**
 * Throws `precondition_failed` unless a file of a locked definition has an expected version; one that is gone has none.
 */
export async function requireFileVersion(
  em: EntityManager,
  { id }: DefinitionRecord,
  path: string,
  expected: ExpectedVersions,
): Promise<void> {
  if (expected === undefined) return;
  const [file] = await em.execute<{ updatedAt: Date | string }[]>(
    'select updated_at as "updatedAt" from definition_files where definition_id = ? and path = ?',
    [id, path],
  );
  requireVersion({ updatedAt: new Date(file?.updatedAt ?? Number.NaN) }, expected);
}

/** Deletes a file of a locked definition; `not_found` when it has none at this path. */
export async function deleteFile(em: EntityManager, record: DefinitionRecord, path: string): Promise<void> {
  const deleted = await em.execute<object[]>(
    'delete from definition_files where definition_id = ? and path = ? returning path',
    [record.id, path],
  );
  if (deleted.length === 0) throw notFound('File');
}

/** Replaces all files of a new or locked definition. */
export async function replaceFiles(
  em: EntityManager,
  record: DefinitionRecord,
  files: DefinitionFiles,
  limits: OrgLimits,
): Promise<void> {
  await em.execute('delete from definition_files where definition_id = ?', [record.id]);
  if (files.size === 0) return;
  await em.execute(
    `insert into definition_files (definition_id, org_id, path, content)
      select ?::uuid, ?::uuid, path, content from jsonb_each_text(?::jsonb) as given (path, content)`,
    [record.id, record.orgId, JSON.stringify(Object.fromEntries(files))],
  );
  await checkSize(em, record, limits);
}

async function checkPaths(em: EntityManager, { id }: DefinitionRecord): Promise<void> {
  const rows = await em.execute<{ path: string }[]>('select path from definition_files where definition_id = ?', [id]);
  const clash = findPathClash(rows.map(({ path }) => path));
  if (clash !== undefined) throw new AppError('conflict', `${clash.path} cannot lie beside ${clash.other}`);
}

interface Size {
  readonly files: number;
  readonly bytes: string;
  readonly ownerBytes: string;
}

async function checkSize(em: EntityManager, { kind, id, orgId }: DefinitionRecord, limits: OrgLimits): Promise<void> {
  await em.execute(lockForOwner('?', '?'), [orgId, 'definition bytes']);
  const [size] = await em.execute<Size[]>(
    `select file_count as files, file_bytes as bytes, ${totalOfOwner('?', 'definition_bytes')} as "ownerBytes"
      from definitions where id = ?`,
    [orgId, id],
  );
  const name = `The ${kind} has reached its limit`;
  if (Number(size?.files) > MAX_FILES) throw new AppError('conflict', `${name} of ${MAX_FILES} files`);
  if (Number(size?.bytes) > MAX_DEFINITION_BYTES)
    throw new AppError('conflict', `${name} of ${formatBytes(MAX_DEFINITION_BYTES)}`);
  if (Number(size?.ownerBytes) > limits.definitionBytes) throw orgLimitReached('definitionBytes', limits);
}
