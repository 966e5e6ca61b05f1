import { type OutputUnit, Validator } from '@cfworker/json-schema';
import type { ComputeJob } from './job.ts';

type CheckJob = Extract<ComputeJob, { kind: 'check_arguments' }>;

/**
 * Checks arguments by all of a JSON Schema, patterns and references included; returns true. Throws what does not fit.
 * The schema is interpreted: the process may not make code of it.
 */
export function checkArguments({ parameters, given }: CheckJob): true {
  const { valid, errors } = new Validator(parameters, '2020-12').validate(given);
  if (valid) return true;
  // The last one is the innermost.
  const unit = errors.at(-1);
  throw new Error(`The arguments do not fit: ${unit === undefined ? 'they are not valid' : describe(unit)}`);
}

function describe({ keyword, instanceLocation, error }: OutputUnit): string {
  const path = instanceLocation.split('/').slice(1).map(toName);
  // `false` in a schema means a property, or an item, that must not be there.
  if (keyword === 'false' && path.length > 0) {
    return `${prefixOf(path.slice(0, -1))}must not have the property ${path.at(-1) ?? ''}`;
  }
  return `${prefixOf(path)}${error.startsWith(SUBJECT) ? error.slice(SUBJECT.length) : error}`;
}

/** Begins most of the library's sentences; the path of the value replaces it. */
const SUBJECT = 'Instance ';

function prefixOf(path: readonly string[]): string {
  return path.length === 0 ? '' : `${path.join('.')}: `;
}

// A step of a JSON pointer within a fragment of a URI.
function toName(step: string): string {
  return decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~');
}
