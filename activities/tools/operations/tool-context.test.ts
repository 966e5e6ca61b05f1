import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { registerUser } from '../../../test/support/factories.ts';
import { insertOrg, insertUser } from '../../../test/support/rows.ts';
import { serveTestApi } from '../../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../../test/support/test-api.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../test/support/test-sandbox.ts';
import { SecretBox } from '../../../db/core/secret-box.ts';
import type { Payer } from '../../../domain/core/keyed-semaphore.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { ownPayer } from '../../../test/support/own-payer.ts';
import { type ContextDeps, runLargeWork, runtimeContext } from './tool-context.ts';

const ONE_AND_ONE = { kind: 'math', expression: '1 + 1', variables: {}, precision: 14 } as const;

const served = serveTestApi();
let neighbour: string;
let many: string[];
beforeAll(async () => {
  neighbour = (await registerUser(served.url)).orgId;
  const { database } = served.api;
  many = await Promise.all(Array.from({ length: 40 }, async () => insertOrg(database)));
  await insertUser(database, many, 'owner');
});

let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort(new Error('stopped')));

/** Returns what the calls of an organization reach. */
function contextOf(orgId: string, sandbox: Pick<Sandbox, 'run'> = { run: async () => Promise.reject(new Error()) }) {
  const { database } = served.api;
  const box = new SecretBox([TEST_SECRET_KEY]);
  const deps = { database, box, sandbox, http: {} as ContextDeps['http'] };
  return runtimeContext(deps, { orgId, idempotencyKey: 'call' }, stop.signal);
}

test('a large file of an owner is worked on beside a slow one, and beside two those of others', async () => {
  const gate = Promise.withResolvers<void>();
  const [busy, other] = [ownPayer('busy'), ownPayer('other')];
  const begun: string[] = [];
  const work = async (payer: Payer, name: string) =>
    runLargeWork(payer, stop.signal, async () => {
      begun.push(name);
      await gate.promise;
    });
  const names = ['slow', 'second', 'third'];
  const all = [...names.map(async (name) => work(busy, name)), work(other, "another's")];
  expect(begun).toEqual(['slow', 'second', "another's"]);
  gate.resolve();
  await Promise.all(all);
  expect(begun).toHaveLength(4);
});

describe('beside forty organizations of one person', () => {
  test('a calculation ends while none of theirs does', async () => {
    const gate = Promise.withResolvers<void>();
    const job = async () => gate.promise.then(() => ONE_AND_ONE);
    const waiting = many.map(async (orgId) => contextOf(orgId).compute(job).catch(String));
    expect(await contextOf(neighbour).compute(ONE_AND_ONE)).toBe('"2"');
    gate.resolve();
    expect(await Promise.all(waiting)).toEqual(many.map(() => '"2"'));
  });
});

describeSandboxed('beside forty organizations of one person, in the sandbox', () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openTestSandbox({ concurrency: 4, payers: served.api.database.payers });
  });
  afterEach(async () => box.close());

  test('a command ends while none of theirs does', async () => {
    const run = async (orgId: string, command: string) =>
      contextOf(orgId, box.sandbox).runCommand({
        command: ['/bin/bash', '-c', command],
        workspace: 'none',
        timeoutMs: 600_000,
      });
    const waiting = many.map(async (orgId) => run(orgId, 'sleep 600').catch(String));
    const { stdout } = await run(neighbour, 'echo hi');
    expect(stdout.toString()).toBe('hi\n');
    stop.abort(new Error('stopped'));
    expect(await Promise.all(waiting)).toEqual(many.map(() => 'Error: stopped'));
  });
});
