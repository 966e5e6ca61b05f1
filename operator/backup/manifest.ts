import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { keyIdOf } from '../../db/core/secret-box.ts';
import { parseJsonText } from '../../domain/core/objects.ts';
import { Refusal } from '../program.ts';

/** The names of the files that describe a backup. The manifest is written last. */
export const MANIFEST = 'manifest.json';
export const CHECKSUMS = 'checksums.txt';

const manifestSchema = z.object({
  format: z.literal(1),
  /** The version of the code that has written it. */
  version: z.string(),
  created_at: z.string(),
  /** What the database had run, in order. */
  migrations: z.array(z.string()).min(1),
  /** The ids of the keys that its secrets are encrypted with, and of the one that the service signed with. */
  key_ids: z.array(z.string()).min(1),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1), rows: z.int() })),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), is_called: z.boolean() })),
  /** The SHA-256 of the list of checksums. */
  checksums: z.string(),
});

/** The content of a backup, and what restoring it requires. */
export type Manifest = z.output<typeof manifestSchema>;

/** Reads the manifest of a backup. Throws a `Refusal` when it is missing or damaged. */
export async function readManifest(folder: string): Promise<Manifest> {
  const content = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined);
  if (content === undefined)
    throw new Refusal(`There is no complete backup at ${folder}: ${MANIFEST}, which is written last, is missing.`);
  const parsed = manifestSchema.safeParse(parseJsonText(content));
  if (parsed.success) return parsed.data;
  throw new Refusal(`The ${MANIFEST} of ${folder} is damaged, or was written by a newer version of Everturn.`);
}

/** Throws a `Refusal` when one of the keys is missing that decrypt the secrets of a backup and verify its sessions. */
export function requireKeys(keys: readonly string[], { key_ids: ids }: Manifest): void {
  const given = keys.map(keyIdOf);
  const lacking = ids.filter((id) => !given.includes(id));
  if (lacking.length === 0) return;
  throw new Refusal(
    `SECRET_KEY lacks a key of this backup (${lacking.join(', ')}): set it to what it was when the backup was made. Nothing was changed.`,
  );
}

/** Verifies the checksums of a backup, and returns the paths of its files. Throws a `Refusal` when one differs. */
export async function requireWhole(folder: string, manifest: Manifest): Promise<string[]> {
  const list = await readFile(join(folder, CHECKSUMS), 'utf8').catch(() => '');
  if (createHash('sha256').update(list).digest('hex') !== manifest.checksums) throw damaged(folder, CHECKSUMS);
  const entries = list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('  ') as [string, string]);
  for (const [digest, path] of entries)
    if ((await digestOf(join(folder, path))) !== digest) throw damaged(folder, path);
  return entries.map(([, path]) => path);
}

function damaged(folder: string, path: string): Refusal {
  return new Refusal(`The backup in ${folder} is damaged: ${path} is missing or was changed. Nothing was changed.`);
}

async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}
