import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { removeTree } from '../../activities/sandbox/channels.ts';
import type { SandboxCommand, SandboxEnding } from '../../activities/sandbox/launch.ts';
import { type SandboxSettings, Sandbox, type SandboxState } from '../../activities/sandbox/sandbox.ts';
import { OWN_PAYERS } from './own-payer.ts';
import { sharedServices } from './shared-services.ts';

const MB = 1024 * 1024;

/** Describes what needs a sandbox; it is skipped, and says why, where there is no bubblewrap. */
export function describeSandboxed(title: string, tests: () => void): void {
  const { bwrap } = sharedServices();
  if ('path' in bwrap) describe(title, tests);
  // oxlint-disable-next-line jest/no-disabled-tests
  else describe.skip(`${title} (skipped: ${bwrap.missing})`, tests);
}

/** A sandbox of a test, with a workspace folder. */
export interface TestSandbox {
  readonly sandbox: Sandbox;
  /** Every state that it has told. */
  readonly states: SandboxState[];
  readonly folder: string;
  /** Runs a command in bash, with the folder as its workspace. */
  bash(command: string, options?: Partial<SandboxCommand> & { signal?: AbortSignal }): Promise<SandboxEnding>;
  close(): Promise<void>;
}

/** Opens a sandbox as the worker does. */
export async function openTestSandbox(settings: Partial<SandboxSettings> = {}): Promise<TestSandbox> {
  const { bwrap } = sharedServices();
  const states: SandboxState[] = [];
  const limits = { memory: 300 * MB, processes: 64, temporary: 64 * MB };
  const given = {
    mode: 'auto' as const,
    bwrap: 'path' in bwrap ? bwrap.path : undefined,
    uid: 61_111,
    concurrency: 8,
    payers: OWN_PAYERS,
    limits,
    ...settings,
  };
  const sandbox = await Sandbox.open(given, (state) => states.push(state));
  const folder = mkdtempSync(join(tmpdir(), 'everturn-sandbox-'));
  return {
    sandbox,
    states,
    folder,
    bash: async (command, { signal = new AbortController().signal, ...options } = {}) =>
      sandbox.run(
        {
          command: ['/bin/bash', '-c', command],
          timeoutMs: 60_000,
          folder: { path: folder, access: 'write' },
          ...options,
        },
        { orgId: 'org', signal },
      ),
    close: async () => {
      sandbox.close();
      await removeTree(folder);
    },
  };
}
