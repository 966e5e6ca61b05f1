import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SnippetLanguage } from '../messages/command-calls.ts';
import { COMMAND_LOG } from '../messages/command-calls.ts';
import type { TestStack } from '../../test/support/test-stack.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

/** What the sandbox of the workers runs, or why it runs nothing. */
export type CommandPlace =
  | { readonly isThere: true; readonly languages: readonly SnippetLanguage[] }
  | { readonly isThere: false; readonly reason: string };

const REPORT_LIMIT_MS = 60_000;
/** The folders of programs that commands see. */
const PROGRAM_FOLDERS = ['/usr/local/bin', '/usr/bin'];

/** Waits until a worker has told whether commands can be confined here. */
export async function findCommandPlace(stack: TestStack): Promise<CommandPlace> {
  const report = await waitUntil(
    'a worker to say whether commands can be confined',
    async () => (await stack.query<{ lacks: { sandbox?: string } }>('select lacks from workers limit 1'))[0],
    REPORT_LIMIT_MS,
  );
  const { sandbox: reason } = report.lacks;
  if (reason !== undefined) return { isThere: false, reason };
  const hasPython = PROGRAM_FOLDERS.some((folder) => existsSync(join(folder, 'python3')));
  return { isThere: true, languages: hasPython ? ['javascript', 'python'] : ['javascript'] };
}

/** Returns the lines that commands have left in all workspaces of an installation, as they are stored. */
export async function readCommandLines(stack: TestStack): Promise<string[]> {
  const logs = await stack.query<{ content: Buffer }>(
    `select coalesce(c.content, (
        select string_agg(p.content, ''::bytea order by p.seq) from workspace_pieces p where p.content_id = c.id
      )) as content
      from workspace_entries e join workspace_contents c on c.id = e.content_id
      where e.part = 'files' and e.folder = '' and e.name = $1`,
    [COMMAND_LOG],
  );
  return logs.flatMap(({ content }) => content.toString().split('\n')).filter((line) => line !== '');
}
