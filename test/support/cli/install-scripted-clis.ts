import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliProvider } from '../../../domain/providers/credential-forms.ts';
import { makeProgramFolder } from '../program-folder.ts';
import { SCRIPTED_CLI } from './scripted-cli.ts';

const PROGRAMS: Readonly<Record<CliProvider, readonly [file: string, version: string]>> = {
  'claude-code': ['claude', '2.1.330 (Claude Code)'],
  codex: ['codex', 'codex-cli 0.169.0'],
  'gemini-cli': ['gemini', '0.61.0'],
};

/** Scripted programs of the vendors, as an operator would have installed the real ones. */
export interface ScriptedClis {
  readonly paths: Readonly<Record<CliProvider, string>>;
  /** The settings by which a worker offers them. */
  readonly settings: Readonly<Record<string, string>>;
  remove(): void;
}

interface ScriptedOptions {
  /** The address that they send people to, in place of the vendor's page. */
  readonly page?: string;
  /** What they say of their version. */
  readonly version?: string;
}

/** Installs the scripted programs in a folder of their own. */
export function installScriptedClis({ page, version }: ScriptedOptions = {}): ScriptedClis {
  const folder = makeProgramFolder('everturn-clis-');
  const install = ([file, usual]: readonly [string, string]): string => {
    const path = join(folder, `${file}.cjs`);
    const head = `const PAGE = ${page === undefined ? 'undefined' : JSON.stringify(page)};`;
    const said = `const VERSION = ${JSON.stringify(version ?? usual)};`;
    writeFileSync(path, `#!/usr/bin/env node\n${head}\n${said}\n${SCRIPTED_CLI}`);
    chmodSync(path, 0o755);
    return path;
  };
  const paths = {
    'claude-code': install(PROGRAMS['claude-code']),
    codex: install(PROGRAMS.codex),
    'gemini-cli': install(PROGRAMS['gemini-cli']),
  };
  const settings = {
    CLI_PROVIDERS: 'claude-code,codex,gemini-cli',
    CLAUDE_CODE_BIN: paths['claude-code'],
    CODEX_BIN: paths.codex,
    GEMINI_CLI_BIN: paths['gemini-cli'],
  };
  return { paths, settings, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
