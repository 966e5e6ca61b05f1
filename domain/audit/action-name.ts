import type { ResourceKey } from '../resources/index.ts';

/** The parts of a route that its audit name is derived from. */
interface NamedRoute {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  readonly resource: ResourceKey;
  readonly action?: string;
}

/** `<resource>.<verb>`, such as `agents.create`. */
type AuditAction = `${ResourceKey}.${string}`;

const VERBS = { get: 'view', post: 'create', patch: 'update', put: 'set', delete: 'delete' } as const;

/** Returns the name of what a route does: its resource, and the action that it declares or else that of its method. */
export function actionOf({ method, resource, action = VERBS[method] }: NamedRoute): AuditAction {
  return `${resource}.${action}`;
}
