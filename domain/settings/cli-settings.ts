import { z } from 'zod';
import { CLI_PROVIDERS, type CliProvider, isCliProvider } from '../providers/index.ts';
import { givenOr } from './given-or.ts';
import { parsedSetting } from './parsed.ts';

const path = () => givenOr(z.string().startsWith('/', 'must be an absolute path').optional());

/** The settings of providers whose models answer through a command-line program (docs/cli-providers.md). */
export const cliSettings = {
  /** The providers that the operator offers; none unless given. */
  CLI_PROVIDERS: parsedSetting(parseCliProviders),
  /** The paths of the programs; looked for unless given. */
  CLAUDE_CODE_BIN: path(),
  CODEX_BIN: path(),
  GEMINI_CLI_BIN: path(),
} as const;

function parseCliProviders(list: string): readonly CliProvider[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (!names.every(isCliProvider)) throw new Error(`must hold names out of ${CLI_PROVIDERS.join(', ')}`);
  return [...new Set(names)];
}
