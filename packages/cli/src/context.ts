import { InvalidArgumentError } from 'commander';
import { Failure } from './failure.ts';
import { Output } from './output.ts';
import { connect, type Connection } from './server.ts';
import type { Environment } from './environment.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** What a command works with. */
export class Context {
  readonly environment: Environment;
  readonly options: GlobalOptions;
  readonly output: Output;

  constructor(environment: Environment, options: GlobalOptions) {
    this.environment = environment;
    this.options = options;
    this.output = new Output(environment, options.json === true);
  }

  /** Connects to the server that the options or the sign-in name. */
  async connect(): Promise<Connection> {
    return connect(this.environment.env, this.options.url);
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns an argument that is an id. Throws when it is none. */
export function parseId(text: string): string {
  if (UUID.test(text)) return text;
  throw new InvalidArgumentError('An id is a UUID.');
}

/** Returns the record with this id or name. Throws a `Failure` when there is none, or several have the name. */
export async function findNamed<T extends { readonly id: string; readonly name: string }>(
  kind: 'agents' | 'schedules' | 'workflows',
  records: AsyncIterable<T>,
  wanted: string,
): Promise<T> {
  const found: T[] = [];
  for await (const record of records) {
    if (record.id === wanted) return record;
    if (record.name === wanted) found.push(record);
  }
  const [first] = found;
  if (first === undefined) throw new Failure(`There is nothing named "${wanted}" among the ${kind} that you may see.`);
  if (found.length === 1) return first;
  const ids = found.map(({ id }) => id).join(', ');
  throw new Failure(`Several ${kind} are named "${wanted}"; give the id instead: ${ids}.`);
}
