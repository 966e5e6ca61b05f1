import { createHash, randomUUID } from 'node:crypto';
import type { Database } from '../../db/core/database.ts';
import { storeSnapshot } from '../../db/workspaces/snapshot.ts';
import { takeLease, type WorkspaceRef } from '../../db/workspaces/contents.ts';

/** Stores the next version of a workspace, with a file and its folders, as a worker does; answers the path. */
export async function storeWorkspaceFile(
  database: Database,
  ref: WorkspaceRef,
  { path, content = 'a sample' }: { readonly path: string; readonly content?: string | Buffer },
): Promise<string> {
  const lease = { ...ref, holder: randomUUID() };
  const version = (await takeLease(database, lease)) ?? 0;
  const bytes = Buffer.from(content);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const stored = { id: randomUUID(), digest, bytes: bytes.length, store: 'row' };
  const base = { part: 'files', mode: 0o600, bytes: 0, modifiedAt: new Date(), content: null, target: null } as const;
  const names = path.split('/');
  const folders = names
    .slice(1)
    .map((_, at) => ({ ...base, path: names.slice(0, at + 1).join('/'), type: 'folder' as const }));
  const file = {
    ...base,
    path,
    type: 'file' as const,
    bytes: bytes.length,
    content: bytes.length === 0 ? null : stored,
  };
  const changes = {
    put: [...folders, file],
    gone: [],
    unused: [],
    added: bytes.length > 0 ? [{ id: stored.id, digest, bytes }] : [],
  };
  await storeSnapshot(database, lease, { version, changes, isLast: true });
  return path;
}
