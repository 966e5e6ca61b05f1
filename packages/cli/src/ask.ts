import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { EXIT, Failure } from './failure.ts';
import type { Environment } from './environment.ts';

type Terminal = Pick<Environment, 'stdin' | 'stderr' | 'interrupts'>;

/** Asks for a line on the terminal; undefined at the end of the input. */
export async function ask(
  { stdin, stderr, interrupts }: Terminal,
  question: string,
  { isHidden = false, history = [] }: { readonly isHidden?: boolean; readonly history?: string[] } = {},
): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (isHidden) stderr.write(question);
  const lines = createInterface({ input: stdin, output: isHidden ? nowhere : stderr, terminal: true, history });
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  lines.on('SIGINT', () => {
    lines.close();
    interrupts.raise();
  });
  try {
    return await Promise.race([lines.question(isHidden ? '' : question), ended]);
  } finally {
    lines.close();
    if (isHidden) stderr.write('\n');
  }
}

/** Takes a secret from the terminal, which does not show it, or from the first line of standard input. */
export async function askSecret(environment: Terminal, question: string): Promise<string> {
  const { stdin } = environment;
  const given =
    stdin.isTTY === true
      ? await ask(environment, question, { isHidden: true })
      : (await text(stdin)).split(/\r?\n/, 1)[0];
  if (given === undefined || given === '') throw new Failure('Nothing was entered.', EXIT.usage);
  return given;
}
