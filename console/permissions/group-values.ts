import { ALLOWLISTS, resourceOf } from '../../domain/resources.ts';
import { Problem } from '../core/http/problem.ts';
import type { JsonForm } from '../ui/form/use-record.ts';
import type { GroupChanges, PermissionGroup } from './queries.ts';

type Limits = PermissionGroup['limits'];
type Capabilities = PermissionGroup['capabilities'];

/** The lists that say which records may be used. */
type ListField = Exclude<keyof Capabilities, 'default_chain_id'>;
type LimitField = keyof Limits;

/** The limits, in the order in which they are shown. */
export const LIMIT_FIELDS = [
  'token_budget',
  'token_window_hours',
  'max_concurrent_agents',
  'max_provider_accounts',
] as const satisfies readonly LimitField[];

/** A group as a form edits it: each limit and each list is a field of its own. */
export type GroupValues = {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
} & {
  readonly [Field in LimitField]: number | null;
} & { readonly [Field in ListField]: readonly string[] } & { readonly default_chain_id: string | null };

/** Returns a group as a form edits it. */
export function valuesOf({ name, description, permissions, limits, capabilities }: PermissionGroup): GroupValues {
  return { name, description, permissions, ...limits, ...capabilities };
}

/** How a group is written as JSON: a limit that is 0 is none. */
export const GROUP_JSON: JsonForm<GroupValues> = {
  write: ({ name, description, permissions, ...others }) => {
    const isLimit = ([key]: readonly [string, unknown]) => LIMIT_FIELDS.some((field) => field === key);
    const entries = Object.entries(others);
    const limits = entries.filter(isLimit).map(([key, value]) => [key, value ?? 0] as const);
    const capabilities = entries.filter((entry) => !isLimit(entry));
    return {
      name,
      description,
      permissions,
      limits: Object.fromEntries(limits),
      capabilities: Object.fromEntries(capabilities),
    };
  },
  read: (body: PermissionGroup) => valuesOf(body),
};

/** Returns the body that stores what was changed of a group. An empty limit is none. */
export function bodyOf(changes: Partial<GroupValues>): GroupChanges {
  const { name, description, permissions, ...others } = changes;
  const isLimit = (key: string) => LIMIT_FIELDS.some((field) => field === key);
  const entries = Object.entries(others);
  const limits = entries.filter(([key]) => isLimit(key)).map(([key, value]) => [key, value ?? 0] as const);
  const capabilities = entries.filter(([key]) => !isLimit(key));
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(permissions !== undefined && { permissions: [...permissions] as PermissionGroup['permissions'] }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
    ...(capabilities.length > 0 && { capabilities: Object.fromEntries(capabilities) }),
  };
}

/**
 * Returns the problem with the field that it is about: the server says in words that a record is gone (404), that a key
 * is unknown (400) and that a name is taken (409).
 */
export function atItsField(problem: Problem, changes: Partial<GroupValues>): Problem {
  const field = fieldOf(problem, changes);
  return field === undefined
    ? problem
    : new Problem(problem.status, problem.message, { fields: { [field]: problem.message } });
}

function fieldOf({ status, message }: Problem, changes: Partial<GroupValues>): string | undefined {
  if (status === 400) return 'permissions';
  if (status === 409) return 'name';
  if (status !== 404) return undefined;
  const named = ALLOWLISTS.filter(({ resource }) => message.startsWith(resourceOf(resource).name));
  const fields = [...named.map(({ field }) => field), 'default_chain_id' as const];
  return fields.find((field) => field in changes);
}
