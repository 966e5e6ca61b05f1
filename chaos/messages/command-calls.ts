import type { Random } from '../../test/support/random.ts';
import { between } from '../random.ts';
import type { PlannedEffect } from './turn-plan.ts';

/** The file of a workspace in which each shell command leaves a line. */
export const COMMAND_LOG = 'commands.log';

/** The languages of snippets. */
export type SnippetLanguage = 'javascript' | 'python';

/** A call that runs in the sandbox, and how to recognise it. */
interface CommandCall {
  readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  readonly effects: PlannedEffect[];
}

/** Writes a shell command that leaves its token in the workspace, and then says that it did. */
export function shellCall(random: Random, token: string): CommandCall {
  const [before, after] = [pause(random), pause(random)];
  const command = `${before}; echo ${token} >> ${COMMAND_LOG}; ${after}; echo ${commandSays(token)}`;
  const effects = [{ token, effect: 'command' as const, key: null, isCut: false }];
  return { call: { name: 'shell_run', arguments: { command } }, effects };
}

/** Writes a snippet whose value no other one has. */
export function snippetCall(random: Random, token: string, language: SnippetLanguage): CommandCall {
  const wait = language === 'python' ? `__import__('time').sleep(${between(random, 0, 900) / 1_000})\n` : '';
  const code = `${wait}input['words'] + ' ' + input['token']`;
  const input = { words: 'done', token };
  const effects = [{ token, effect: 'snippet' as const, key: null, isCut: false }];
  return { call: { name: 'code_run', arguments: { language, code, input } }, effects };
}

/** Returns what a call that succeeded tells the model. */
export function commandSays(token: string): string {
  return `done ${token}`;
}

function pause(random: Random): string {
  return `sleep ${between(random, 0, 900) / 1_000}`;
}
