import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { registerUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const served = serveTestApi();

test('the command line is installed into an empty project from one package, and runs there', async () => {
  const project = await mkdtemp(join(tmpdir(), 'everturn-cli-package-'));
  try {
    await run('npm', ['run', 'cli', '--', '--pack-destination', project], { cwd: root });
    await writeFile(join(project, 'package.json'), JSON.stringify({ private: true }));
    const packed = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
    await run('npm', ['install', '--offline', '--no-audit', ...packed.map((name) => `./${name}`)], { cwd: project });
    expect(await readdir(join(project, 'node_modules'))).toEqual(['.bin', '.package-lock.json', '@everturn']);

    const { email, accessToken } = await registerUser(served.url);
    // The Node of whoever runs the tests, which may be older than that of the service.
    const node = dirname(process.env['npm_node_execpath'] ?? process.execPath);
    const env = {
      PATH: [node, process.env['PATH']].join(delimiter),
      XDG_CONFIG_HOME: project,
      EVERTURN_URL: served.url,
      EVERTURN_API_KEY: accessToken,
    };
    const program = join(project, 'node_modules/.bin/everturn');
    expect((await run(program, ['completion', 'bash'], { env })).stdout).toContain('complete -F');
    const { stdout } = await run(program, ['complete', '--', 'sched'], { env });
    expect(stdout).toMatch(/^schedules\tlist schedules/);
    const options = await run(program, ['complete', '--', 'schedules', 'run', '--j'], { env });
    expect(options.stdout).toMatch(/^--json\twrite JSON/);
    // Temporal is away here, which a server says of itself.
    const status = await run(program, ['status', '--json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ email, engine: 'away' });
  } finally {
    await rm(project, { recursive: true });
  }
});
