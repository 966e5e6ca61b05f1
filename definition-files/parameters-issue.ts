import { Ajv, type ErrorObject } from 'ajv';
import { isSafePattern } from 'redos-detector';
import { isObject } from '../domain/core/objects.ts';
import { stepName } from '../domain/tool-offer/wire/flatten.ts';

const MAX_CHARACTERS = 64 * 1024;

let meta: Ajv | undefined;

/**
 * Returns why a JSON Schema cannot describe the parameters of a tool, or `undefined`. Who reads it, a provider or this
 * service, must not be led elsewhere by it or be kept busy: it refers to parts of itself only, stays small when all
 * references are followed, and its patterns take no time that grows with the square of a text.
 */
export function parametersIssue(
  schema: Readonly<Record<string, unknown>>,
  budget: ExaminationBudget = PROCESS_BUDGET,
): string | undefined {
  if (JSON.stringify(schema).length > MAX_CHARACTERS) return `must not exceed ${MAX_CHARACTERS} characters`;
  if (schema['type'] !== 'object') return 'must be a JSON Schema with "type": "object"';
  return validityIssue(schema) ?? walkIssue(schema, budget);
}

function walkIssue(schema: Readonly<Record<string, unknown>>, budget: ExaminationBudget): string | undefined {
  const walk = new SchemaWalk(schema);
  return walk.issue() ?? patternsIssue(walk.patterns, budget);
}

function validityIssue({ $schema: _schema, ...schema }: Readonly<Record<string, unknown>>): string | undefined {
  meta ??= new Ajv({ strict: false, logger: false, validateFormats: false });
  if (meta.validateSchema(schema) === true) return undefined;
  const [error] = meta.errors ?? [];
  return `is not a valid JSON Schema${error === undefined ? '' : `: ${describe(error)}`}`;
}

function describe({ instancePath, message = 'is not valid' }: ErrorObject): string {
  return instancePath === '' ? message : `${instancePath.slice(1).replaceAll('/', '.')} ${message}`;
}

const MAX_PATTERNS = 50;
const MAX_PATTERN_CHARACTERS = 500;
/** How far one pattern is examined. Steps, not time, refuse one, so that a busy machine decides alike. */
const MAX_STEPS = 1_000;
/** Backtracking for each character of a text, as the library counts it. */
const MAX_SCORE = 200;

/** Bounds on the processor time of examinations: at once, in milliseconds, and in the long run, as a share of time. */
const BURST_MS = 2_000;
const SHARE = 0.05;

/** The processor time that examinations of patterns may take: what was spent comes back as a share of all time. */
export class ExaminationBudget {
  readonly #burstMs: number;
  #leftMs: number;
  #refilledAt = performance.now();

  constructor(burstMs = BURST_MS) {
    this.#burstMs = burstMs;
    this.#leftMs = burstMs;
  }

  /** Returns whether the pattern is safe as far as there is time to see. */
  accepts(pattern: string): boolean {
    const now = performance.now();
    this.#leftMs = Math.min(this.#burstMs, this.#leftMs + (now - this.#refilledAt) * SHARE);
    this.#refilledAt = now;
    if (this.#leftMs < 1) return true;
    const usedBefore = process.threadCpuUsage();
    const bounds = { maxScore: MAX_SCORE, maxSteps: MAX_STEPS, timeout: this.#leftMs };
    const { safe, error } = isSafePattern(pattern, { unicode: true, ...bounds });
    const { user, system } = process.threadCpuUsage(usedBefore);
    this.#leftMs -= (user + system) / 1_000;
    return safe || error === 'timedOut';
  }
}

const PROCESS_BUDGET = new ExaminationBudget();

// Only a group that repeats can be read in a number of ways that doubles with each character.
const REPEATS_A_GROUP = /\)[*+{]/;

/**
 * Returns why patterns are refused, or `undefined`: those that could keep whoever matches them busy. While the process
 * has spent its budget for that, they are taken unexamined: arguments are matched in processes that can be ended.
 */
function patternsIssue(patterns: readonly string[], budget: ExaminationBudget): string | undefined {
  if (patterns.length > MAX_PATTERNS) return `must not have more than ${MAX_PATTERNS} patterns`;
  for (const pattern of new Set(patterns)) {
    const issue = patternIssue(pattern, budget);
    if (issue !== undefined) return `has the pattern ${JSON.stringify(pattern.slice(0, 60))}, which ${issue}`;
  }
  return undefined;
}

function patternIssue(pattern: string, budget: ExaminationBudget): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return `has more than ${MAX_PATTERN_CHARACTERS} characters`;
  if (!isRegularExpression(pattern)) return 'is not a regular expression';
  return REPEATS_A_GROUP.test(pattern) && !budget.accepts(pattern) ? 'could keep whoever matches it busy' : undefined;
}

function isRegularExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}

/** Parts of a schema, all references followed. */
const MAX_EXPANDED = 5_000;
const MAX_DEPTH = 30;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const BY_NAME = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);
const REMOTE = ['$id', '$anchor', '$dynamicRef', '$recursiveRef', '$dynamicAnchor', '$vocabulary'];

type Schema = Readonly<Record<string, unknown>>;

/** Goes through all parts of a JSON Schema. */
class SchemaWalk {
  /** The patterns that were found. */
  readonly patterns: string[] = [];
  readonly #root: Schema;
  readonly #sizes = new Map<Schema, number>();
  readonly #open = new Set<Schema>();
  #issue: string | undefined;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Returns why the schema is refused, or `undefined`. */
  issue(): string | undefined {
    const size = this.#sizeOf(this.#root, 0);
    if (this.#issue === undefined && size > MAX_EXPANDED) this.#issue = TOO_LARGE;
    return this.#issue;
  }

  /** Returns the number of parts with all references followed. A part that is referred to often is counted once. */
  #sizeOf(part: unknown, depth: number): number {
    if (this.#issue !== undefined || !isObject(part)) return 1;
    const known = this.#sizes.get(part);
    if (known !== undefined) return known;
    if (this.#open.has(part)) return this.#refuse('must not refer to itself');
    if (depth > MAX_DEPTH) return this.#refuse(`must not nest more than ${MAX_DEPTH} levels deep`);
    this.#open.add(part);
    let size = 1;
    for (const inner of this.#partsOf(part)) {
      size += this.#sizeOf(inner, depth + 1);
      if (size > MAX_EXPANDED) return this.#refuse(TOO_LARGE);
    }
    this.#open.delete(part);
    this.#sizes.set(part, size);
    return size;
  }

  #partsOf(schema: Schema): unknown[] {
    const keyword = REMOTE.find((name) => Object.hasOwn(schema, name));
    if (keyword !== undefined) this.#refuse(`must not use ${keyword}`);
    if (typeof schema['pattern'] === 'string') this.patterns.push(schema['pattern']);
    if (isObject(schema['patternProperties'])) this.patterns.push(...Object.keys(schema['patternProperties']));
    return Object.entries(schema).flatMap(([name, value]) => this.#partsIn(name, value));
  }

  #partsIn(name: string, value: unknown): unknown[] {
    if (name === '$ref') return [this.#target(value)];
    if (ONE.has(name)) return [value];
    if (name === 'items') return Array.isArray(value) ? value : [value];
    if (LISTS.has(name) && Array.isArray(value)) return value;
    if (BY_NAME.has(name) && isObject(value)) return Object.values(value);
    if (name === 'dependencies' && isObject(value)) return Object.values(value).filter(isObject);
    return [];
  }

  #target(reference: unknown): unknown {
    if (typeof reference !== 'string' || !(reference === '#' || reference.startsWith('#/'))) {
      this.#refuse('must refer to parts of itself only ("#/$defs/name")');
      return undefined;
    }
    let part: unknown = this.#root;
    for (const step of reference.split('/').slice(1).map(stepName)) {
      part = isContainer(part) && Object.hasOwn(part, step) ? Reflect.get(part, step) : undefined;
    }
    if (!isObject(part)) this.#refuse(`refers to "${reference}", which is no part of it`);
    return part;
  }

  #refuse(issue: string): number {
    this.#issue ??= issue;
    return 1;
  }
}

const TOO_LARGE = `must not have more than ${MAX_EXPANDED} parts when all references are followed`;

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
