import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registerUser } from '../support/factories.ts';
import { casesOf } from '../support/in-length.ts';
import { AuthorizingProxy } from '../support/mcp/authorizing-proxy.ts';
import { serveTestApi } from '../support/serve-test-api.ts';

// The official suite of the protocol, as its clients would see the service. It knows no credentials, so a proxy adds
// them.

const { resolve } = createRequire(import.meta.url);
const SUITE = join(dirname(resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js');
const run = promisify(execFile);

const APPLY = ['dns-rebinding-protection', 'tools-list', 'server-initialize', 'ping', 'server-sse-multiple-streams'];

const OWN_TOOLS = 'calls tools that only the demonstration server of the suite has';
const NO_RESOURCES = 'the service offers no resources';
const NO_PROMPTS = 'the service offers no prompts';

/** The other scenarios, and why they do not apply. */
const DO_NOT_APPLY: Readonly<Record<string, string>> = {
  'tools-call-simple-text': OWN_TOOLS,
  'tools-call-image': OWN_TOOLS,
  'tools-call-audio': OWN_TOOLS,
  'tools-call-embedded-resource': OWN_TOOLS,
  'tools-call-mixed-content': OWN_TOOLS,
  'tools-call-with-logging': OWN_TOOLS,
  'tools-call-error': OWN_TOOLS,
  'tools-call-with-progress': OWN_TOOLS,
  'tools-call-sampling': OWN_TOOLS,
  'tools-call-elicitation': OWN_TOOLS,
  'json-schema-2020-12': OWN_TOOLS,
  'elicitation-sep1034-defaults': OWN_TOOLS,
  'elicitation-sep1330-enums': OWN_TOOLS,
  'server-sse-polling': OWN_TOOLS,
  'resources-list': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'prompts-list': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
  'completion-complete': NO_PROMPTS,
  'logging-set-level': 'the service sends no log messages',
};

const served = serveTestApi();
let proxy: AuthorizingProxy;
let folder: string;
beforeAll(async () => {
  const user = await registerUser(served.url);
  proxy = await AuthorizingProxy.start(served.url, user.accessToken);
  folder = mkdtempSync(join(tmpdir(), 'everturn-conformance-'));
});
afterAll(() => {
  proxy.close();
  rmSync(folder, { recursive: true });
});

async function runSuite(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [SUITE, ...args], { cwd: folder });
  return stdout;
}

describe('the official conformance suite', () => {
  test('has the scenarios that are run here, and those of which is known why they do not apply', async () => {
    const list = await runSuite('list', '--server');
    const names = [...list.matchAll(/^ {2}- (?<name>\S+)/gm)].map(({ groups }) => groups?.['name'] ?? '');
    expect([...APPLY, ...Object.keys(DO_NOT_APPLY)].toSorted()).toEqual(names.toSorted());
  });

  test.each(casesOf(APPLY, 2))('finds nothing wrong in the scenario %s', async (scenario) => {
    const report = await runSuite('server', '--url', `${proxy.url}/mcp`, '--scenario', scenario);
    expect(report).toMatch(/Passed: [1-9]/);
    expect(report).toMatch(/\b0 failed/);
  });
});
