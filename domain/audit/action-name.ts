/** The parts of a route that its audit name is derived from. */
interface NamedRoute {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** With `{name}` for a parameter. */
  readonly path: string;
  readonly response: { readonly status: number };
}

/** The audit name of a route, and the type of record it acts on. */
export interface ActionName {
  /** `<record type>.<verb>`. */
  readonly action: string;
  readonly recordType: string;
}

const VERBS = { get: 'view', post: 'create', patch: 'update', put: 'set', delete: 'delete' } as const;

/**
 * Returns a stable name for what a route does: the collection that its path ends in or leads through, and the words
 * after it or, when there are none, the method. `POST /api/agents` is `agents.create`, `POST /api/orgs/{org_id}/leave`
 * is `orgs.leave`, `PATCH /api/providers/chains/{chain_id}` is `provider_chains.update`.
 */
export function actionOf(route: NamedRoute): ActionName {
  const parts = route.path.split('/').filter((part) => part !== '' && part !== 'api');
  const at = Math.max(
    parts.findLastIndex((_part, index) => isRecords(parts, index, route)),
    0,
  );
  const recordType = nameOf(parts, at);
  const words = parts.slice(at + 1).filter((part) => !isPlace(part));
  return { action: `${recordType}.${verbOf(route, words)}`, recordType };
}

/** Returns the kind of record that an action is done to. */
export function recordTypeOf(action: string): string {
  return action.slice(0, action.indexOf('.'));
}

function verbOf({ method }: NamedRoute, words: readonly string[]): string {
  if (words.length === 0) return VERBS[method];
  // The words after the collection name the action; `put` and `get` keep their verb in front of them.
  const ownVerb = method === 'put' || method === 'get' ? [VERBS[method]] : [];
  return [...ownVerb, ...words.map(toName)].join('_');
}

// A collection in the plural, or whatever an id follows. Below a record it is what the route is about only when it is
// listed or added to: a set of members that is replaced is a change of the record above.
function isRecords(parts: readonly string[], at: number, { method, response }: NamedRoute): boolean {
  const [part = '', next] = [parts[at], parts[at + 1]];
  if (isPlace(part)) return false;
  if (next !== undefined) return isPlace(next) || part.endsWith('s');
  const isBelowRecord = at > 0 && isPlace(parts[at - 1] ?? '');
  return part.endsWith('s') && (!isBelowRecord || method === 'get' || response.status === 201);
}

// Two collections in a row are one kind of record: `/providers/chains` holds provider chains.
function nameOf(parts: readonly string[], at: number): string {
  const [part = '', above = ''] = [parts[at], parts[at - 1]];
  return above.endsWith('s') && !isPlace(above) ? `${toName(above.slice(0, -1))}_${toName(part)}` : toName(part);
}

/** Returns whether a part stands for one record: a parameter, or the caller. */
function isPlace(part: string): boolean {
  return part.startsWith('{') || part === 'me';
}

function toName(part: string): string {
  return part.replaceAll('-', '_');
}
