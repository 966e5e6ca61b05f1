import type { ToolContext } from '../../context.ts';
import { filePath } from '../../workspace/workspace-path.ts';

const MAX_SAVED = 20;

/** Keeps the attachments of a mail in a folder of the workspace, and returns their paths. */
export async function saveAttachments(
  attachments: readonly { readonly name: string }[],
  mail: Buffer,
  { uid, context }: { readonly uid: number; readonly context: ToolContext },
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const [place, { name }] of attachments.slice(0, MAX_SAVED).entries()) {
    const json = await context.compute({ kind: 'mail_read', attachment: place }, { document: async () => mail });
    const path = `mail-attachments/${uid}/${place + 1}-${safeName(name)}`;
    const content = Buffer.from(JSON.parse(json) as string, 'base64');
    await context.workspace.write(filePath(path), content, { overwrite: true, createFolders: true, isForeign: true });
    paths.push(path);
  }
  return paths;
}

// Some systems leave such an end out, and would take it for another file.
function withoutEnd(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  return name.slice(0, end);
}

// The sender chose the name: it begins with no dot, leads nowhere and is none that a system reserves.
function safeName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, '_')
    .slice(-100)
    .replace(/^[. ]+/, '');
  const kept = withoutEnd(safe);
  return kept === '' ? 'attachment' : kept;
}
