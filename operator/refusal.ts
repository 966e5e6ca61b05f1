import { isDatabaseAway } from '../db/core/index.ts';

/** Ends a program of the operator with one sentence; nothing was changed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/**
 * Runs a program of the operator to its end: what it refuses is one sentence on standard error, and the exit code 1.
 */
export async function runProgram(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${sentenceOf(error)}\n`);
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (isDatabaseAway(error)) return `The PostgreSQL of DATABASE_URL cannot be reached: ${String(error)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Returns the one argument that a program takes. */
export function onlyArgument(usage: string): string {
  const [argument, ...others] = process.argv.slice(2);
  if (argument !== undefined && others.length === 0 && !argument.startsWith('-')) return argument;
  throw new Refusal(`Usage: ${usage}`);
}
