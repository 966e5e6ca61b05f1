import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BuiltinTool } from '../../activities/tools/define-tool.ts';
import type { ToolArguments } from '../../activities/tools/tool.ts';
import { gitClone } from '../../activities/tools/builtin/git/git-clone.ts';
import { removeTree } from '../../activities/sandbox/channels.ts';
import { GitServer } from './git-server.ts';
import { openTestSandbox } from './test-sandbox.ts';
import { createTestTools, prepareCall, type TestTools } from './tool-context.ts';

const outside = promisify(execFile);

/** The token of the only integration, which may push. */
const TOKEN = 'canary-8d1f0c5ab2';

/** What `git` is in a script of somebody else, in a folder of another user. */
const GIT = `git() { command git -c safe.directory='*' -c user.name=Somebody -c user.email=somebody@example.com "$@"; }
set -e
`;

/** The tools of git in a workspace, and a server whose repository `app` is cloned there. */
export interface GitTools {
  readonly server: GitServer;
  readonly tools: TestTools;
  /** Calls a tool in the clone; with a key it is that call, or its repetition. */
  run(tool: BuiltinTool, args?: ToolArguments, options?: { key?: string; signal?: AbortSignal }): Promise<string>;
  /** Runs a script in the clone, outside the sandbox, each of whose commands has to succeed; returns what it prints. */
  sh(script: string, ...args: string[]): Promise<string>;
  /** Writes a file of the clone and commits it, outside the sandbox. */
  commit(path: string, text: string, message: string): Promise<void>;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** Returns the subjects of the branch, newest first. */
  log(): Promise<string[]>;
  /** Brings back the repository, its clone and the server as they were when the tools were opened. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the tools with a clone of a private repository. */
export async function openGitTools(): Promise<GitTools> {
  const [box, server] = await Promise.all([openTestSandbox(), GitServer.start()]);
  await server.make('app');
  const users = [{ token: TOKEN, mayPush: true }];
  server.users = users;
  const integration = {
    kind: 'git',
    name: 'Our git',
    apiUrl: server.url,
    fields: ['token'],
    secretPlaces: [],
  } as const;
  const tools = await createTestTools({
    sandbox: box.sandbox,
    privateHosts: server.host,
    integrations: [{ ...integration, secrets: { token: TOKEN } }],
  });
  let calls = 0;
  const run: GitTools['run'] = async (tool, args = {}, { key, signal } = {}) => {
    const idempotencyKey = key ?? `call-${(calls += 1)}`;
    const context = signal === undefined ? tools.context : tools.options.contextFor(signal);
    const given = tool === gitClone ? args : { cwd: 'app', ...args };
    return String((await prepareCall(tool, given).run({ ...context, idempotencyKey })).value);
  };
  const write = async (path: string, text: string) => writeFile(join(tools.home, 'app', path), text);
  const sh = async (script: string, ...args: string[]) =>
    (await outside('sh', ['-c', GIT + script, 'sh', ...args], { cwd: join(tools.home, 'app') })).stdout;
  await run(gitClone, { url: `${server.url}/app.git` });
  const folders = [server.folder, tools.outside];
  for (const folder of folders) await cp(folder, keptOf(folder), { recursive: true, preserveTimestamps: true });
  return {
    server,
    tools,
    run,
    write,
    read: async (path) => readFile(join(tools.home, 'app', path), 'utf8'),
    sh,
    commit: async (path, text, message) => {
      await write(path, text);
      await sh(`git add --all; git commit --quiet --message "$1"`, message);
    },
    log: async () => (await sh('git log --format=%s')).trim().split('\n'),
    reset: async () => {
      server.reset(users);
      for (const folder of folders) {
        await removeTree(folder);
        await cp(keptOf(folder), folder, { recursive: true, preserveTimestamps: true });
      }
    },
    close: async () => {
      for (const folder of folders) await removeTree(keptOf(folder));
      await tools.close();
      await server.close();
      await box.close();
    },
  };
}

function keptOf(folder: string): string {
  return `${folder}-kept`;
}
