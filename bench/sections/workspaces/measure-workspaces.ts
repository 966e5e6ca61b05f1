import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalCopies } from '../../../activities/tools/workspace/travel/local-copies.ts';
import { travellingWorkspace } from '../../../activities/tools/workspace/travel/travelling-workspace.ts';
import type { Workspace } from '../../../activities/tools/workspace/workspace.ts';
import { connectDatabase } from '../../../db/orm/connect.ts';
import { FileStores } from '../../../files/file-stores.ts';
import { createChat, registerUser } from '../../../test/support/factories.ts';
import { quantile } from '../../figures/statistics.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

const FILES = 1_000;
const FOLDERS = 20;
const FILE_BYTES = 4_000;
const ROUNDS = 15;
const never = new AbortController().signal;
const CREATE = { overwrite: true, createFolders: true, isForeign: false };

/**
 * Measures and prints what it costs to store what calls have changed in a workspace of 1,000 files, and to restore it
 * on another worker: in this process, with the database of the instance.
 */
export async function measureWorkspaces({ instance }: Bench): Promise<SectionResult> {
  const user = await registerUser(instance.apiUrl);
  const ref = { orgId: user.orgId, chatId: await createChat(user.client) };
  const database = await connectDatabase({ url: instance.databaseUrl, poolSize: 4 });
  const disks = mkdtempSync(join(tmpdir(), 'everturn-bench-disks-'));
  try {
    const files = await FileStores.open(database, undefined);
    const worker = () => new LocalCopies({ root: join(disks, randomUUID()), database, files });
    const [first, second] = [worker(), worker()];
    const on = (copies: LocalCopies) => travellingWorkspace(copies, { ref, signal: never });
    const times = new Map<string, number[]>();
    const time = async (name: string, work: () => Promise<unknown>) => {
      const startedAt = performance.now();
      await work();
      times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
    };
    await time('a command that writes all files', async () => command(on(first), fill));
    for (let round = 0; round < ROUNDS; round += 1) {
      await time('a command that changes one file', async () => command(on(first), (home) => change(home, round)));
      await time('the next read on a worker that is one file behind', async () => read(on(second)));
      await time('a command that changes nothing', async () => command(on(first), () => undefined));
      await time('file_write of one file', async () => on(first).write(['one.txt'], Buffer.from(`${round}`), CREATE));
      await time('a read of one file', async () => read(on(first)));
      await time('the first read on a new worker', async () => read(on(worker())));
    }
    print(times);
    const measured = quantile(times.get('the first read on a new worker') ?? [], 0.5);
    const name = `recovery of a workspace of ${FILES.toLocaleString('en')} files, p50`;
    return { targets: [{ name, measured, bound: 2_000, better: 'less', unit: 'ms' }] };
  } finally {
    await database.close();
    rmSync(disks, { recursive: true });
  }
}

async function command(workspace: Workspace, work: (home: string) => void): Promise<void> {
  await workspace.lend({ isForeign: false, access: 'write' }, async ({ path }) => work(path));
}

function fill(home: string): void {
  for (let each = 0; each < FILES; each += 1) {
    if (each < FOLDERS) mkdirSync(join(home, `folder-${each}`));
    writeFileSync(join(home, pathOf(each)), `${each} ${randomUUID()} `.repeat(100).slice(0, FILE_BYTES));
  }
}

function change(home: string, round: number): void {
  writeFileSync(join(home, pathOf(round)), `changed ${randomUUID()}`);
}

function pathOf(each: number): string {
  return `folder-${each % FOLDERS}/file-${each}.txt`;
}

async function read(workspace: Workspace): Promise<void> {
  await workspace.read(pathOf(FILES - 1).split('/'), FILE_BYTES);
}

function print(times: ReadonlyMap<string, readonly number[]>): void {
  printHeading(`A workspace of ${FILES.toLocaleString('en')} files of ${FILE_BYTES} bytes, in ms`);
  printRows([
    ['', 'p50', 'p95', 'runs'],
    ...[...times].map(([name, list]) => [
      name,
      figure(quantile(list, 0.5)),
      figure(quantile(list, 0.95)),
      String(list.length),
    ]),
  ]);
}
