import { namePermissions } from '../../../domain/permissions/keys.ts';

/** What the server answered instead of what was asked for; status 0 when it could not be reached at all. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** What is wrong with each field of a form, by the field's name; of a 422 only. */
  readonly fields: Readonly<Record<string, string>>;
  /** After how many seconds it is worth trying again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, message: string, more: Partial<Pick<Problem, 'fields' | 'retryAfterSeconds'>> = {}) {
    super(message);
    this.status = status;
    this.fields = more.fields ?? {};
    this.retryAfterSeconds = more.retryAfterSeconds;
  }

  /** Whether the same request can never succeed, whatever changes on the server: what it brought is not taken. */
  get isFinal(): boolean {
    return this.status === 413 || this.status === 422;
  }

  /** Whether the same request may succeed later: the server was away, busy, or asked to wait. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** Reads what a response says went wrong. */
export async function problemOf(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => undefined);
  return problemOfBody(response, body);
}

/** Returns the problem of a response whose body was read already. */
export function problemOfBody({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown): Problem {
  const seconds = Number(headers.get('retry-after'));
  const retryAfterSeconds = seconds > 0 ? seconds : undefined;
  const { detail } = (body ?? {}) as { detail?: string | readonly Issue[] };
  if (!Array.isArray(detail)) {
    const words = typeof detail === 'string' ? namePermissions(detail) : `HTTP ${status}`;
    return new Problem(status, words, { retryAfterSeconds });
  }
  const issues = detail as readonly Issue[];
  // An address that nothing can have is told as one that nothing has.
  if (issues.some(({ loc }) => loc[0] === 'path')) return new Problem(404, 'Nothing has this address');
  // Pages send what their address says, whose parameters nobody knows by the names that the api has for them.
  const inQuery = issues.find(({ loc }) => loc[0] === 'query');
  if (inQuery !== undefined)
    return new Problem(status, `A search or a filter of this page is not valid: ${inQuery.msg}`);
  const fields = issues.toReversed().map(({ loc, msg }) => [loc.slice(1).join('.'), msg] as const);
  const first = issues[0];
  const words = first === undefined ? `HTTP ${status}` : [...pathOf(first), first.msg].join(': ');
  return new Problem(status, words, { fields: Object.fromEntries(fields), retryAfterSeconds });
}

// What is said about a request as a whole has no path.
function pathOf({ loc }: Issue): readonly string[] {
  return loc.length > 1 ? [loc.slice(1).join('.')] : [];
}

/** Returns the problem of a request that got no answer. */
export function unreachable(cause: unknown): Problem {
  const problem = new Problem(0, 'The server cannot be reached');
  problem.cause = cause;
  return problem;
}
