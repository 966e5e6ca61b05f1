import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isLong } from '../support/in-length.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SETUP_PAGE = 'README.md';
/** Statuses of commands that go on, and of what the pages say may be answered. */
const FINE = /^(2\d\d|409)$/;
/** What the pages name only as an example does not exist. */
const EXAMPLES = /\/mcp-servers\/[^/]+\/tools\/fetch$/;

/** Returns the commands of a page that send requests, as they are written, without scripts that go into a file. */
function commandsOf(page: string): string[] {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(?:sh|bash)\n([^]*?)^```$/gm);
  return [...blocks]
    .map(([, block = '']) => block)
    .filter((block) => block.includes('curl') && !block.startsWith('#!'));
}

const [setup = '', ...others] = commandsOf(SETUP_PAGE);

let instance: TestInstance;
let folder: string;

interface Answer {
  readonly status: string;
  readonly url: string;
}

/** Runs commands after those of the set-up, and returns how their requests were answered. */
async function run(commands: readonly string[]): Promise<Answer[]> {
  const script = [
    `curl() { command curl -w '%{stderr}\n@%{http_code} %{url_effective}\n' "$@"; }`,
    setup.replace(/^API=.*$/m, `API=${instance.api.url}/api`),
    ...commands,
  ].join('\n');
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  const said = await new Promise<string>((resolve, reject) => {
    // A variable that no command has set ends the script.
    const child = execFile(
      'bash',
      ['-euc', script],
      { cwd: folder, env, maxBuffer: 2 ** 24 },
      (error, _stdout, stderr) => (error === null ? resolve(stderr) : reject(error)),
    );
    child.stdin?.end();
  });
  return [...said.matchAll(/^@(\d+) (.*)$/gm)].map(([, status = '', url = '']) => ({ status, url }));
}

beforeAll(async () => {
  instance = await startTestInstance();
  folder = await mkdtemp(join(tmpdir(), 'everturn-docs-'));
});
afterAll(async () => {
  await instance.close();
  await rm(folder, { recursive: true });
});

const pages = isLong ? [SETUP_PAGE, ...globSync('docs/*.md', { cwd: ROOT })] : [SETUP_PAGE];
const commands = pages
  .map((page) => [page, page === SETUP_PAGE ? others : commandsOf(page)] as const)
  .filter(([, ofPage]) => ofPage.length > 0);

test.each(commands)('the commands of %s run as they are written', async (_page, ofPage) => {
  const answers = await run(ofPage);
  expect(answers.length).toBeGreaterThan(4);
  expect(answers.filter(({ status, url }) => !FINE.test(status) && !EXAMPLES.test(url))).toEqual([]);
});
