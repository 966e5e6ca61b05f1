import { parseArgs, type ParseArgsConfig } from 'node:util';
import pg from 'pg';
import { isDatabaseAway } from '../db/core/unavailable.ts';
import { AppError } from '../domain/core/app-error.ts';

/** Ends a program of the operator with one sentence instead of a stack trace. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Runs a program of the operator. An error is written to standard error, and sets the exit code 1. */
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
  if (error instanceof AppError) return `${error.message}.`;
  if (isDatabaseAway(error)) return `PostgreSQL at DATABASE_URL cannot be reached: ${String(error)}`;
  if (error instanceof pg.DatabaseError && REFUSED.test(error.code ?? ''))
    return `PostgreSQL at DATABASE_URL has refused: ${error.message}.`;
  if (!(error instanceof Error)) return String(error);
  // Of files and folders the system says enough: `EACCES: permission denied, mkdir '/backups/monday.part'`.
  return 'syscall' in error && 'path' in error ? `${error.message}.` : (error.stack ?? error.message);
}

// Class 28: invalid role or password. 3D000: no such database. 42501: a right is missing.
const REFUSED = /^(28|3D000|42501)/;

/** Returns the arguments of the program. Throws a `Refusal` with the usage for those that it does not know. */
export function readArguments<T extends ParseArgsConfig>(usage: string, config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Refusal(`Usage: ${usage}`, { cause: error });
  }
}

/** Returns the only argument of the program. Throws a `Refusal` with the usage unless there is exactly one. */
export function onlyArgument(usage: string): string {
  const { positionals } = readArguments(usage, { allowPositionals: true });
  const [argument, ...others] = positionals;
  if (argument !== undefined && others.length === 0) return argument;
  throw new Refusal(`Usage: ${usage}`);
}
