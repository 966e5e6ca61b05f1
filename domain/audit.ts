import { z } from 'zod';
import type { ResourceKey } from './resources.ts';

/** The number of field names recorded for one body. */
const MAX_FIELDS = 50;
const MAX_IDS = 1000;

const FIELD = /^[a-z]\w{0,63}$/;
const idsSchema = z.union([z.uuid().transform((id) => [id]), z.array(z.uuid())]);

/** Returns the names of a body's fields, never their values. */
export function namedFields(body: unknown): string[] {
  return entriesOf(body)
    .map(([name]) => name)
    .filter((name) => FIELD.test(name))
    .slice(0, MAX_FIELDS);
}

/** Returns the record ids in a body's fields `..._id` and `..._ids`. */
export function namedIds(body: unknown): string[] {
  const named = entriesOf(body).filter(([name]) => /_ids?$/.test(name));
  const ids = named.flatMap(([, value]) => idsSchema.safeParse(value).data ?? []);
  return ids.slice(0, MAX_IDS).map((id) => id.toLowerCase());
}

function entriesOf(body: unknown): [string, unknown][] {
  return body === null || typeof body !== 'object' || Array.isArray(body) ? [] : Object.entries(body);
}

/**
 * The outcome of an attempt. `success`: it was done. `denied`: the caller lacked the right. `failed`: the server
 * failed, so the change may or may not have been made.
 */
export const AUDIT_OUTCOMES = ['success', 'denied', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Which credential a request came with, as far as it is known. */
interface AuditCredential {
  readonly sessionId: string | undefined;
  readonly apiKeyId: string | undefined;
}

/**
 * One entry of the audit log: an actor, an action and a record. It contains ids and field names, never field values.
 */
export interface AuditEntry extends AuditCredential {
  /** Time-ordered: its time is `createdAt`. */
  readonly id: string;
  readonly createdAt: Date;
  /** Undefined where the caller is not known yet: the owner of the credential is meant. */
  readonly actorId: string | undefined;
  /** The organization it concerns; when there is none, or it is gone, the active one of the actor is meant. */
  readonly orgId: string | undefined;
  /** `<record type>.<verb>`. */
  readonly action: string;
  readonly recordType: string;
  readonly recordId: string | undefined;
  /** Other records that the request names. */
  readonly relatedIds: readonly string[];
  /** Names of the fields that were sent. */
  readonly fields: readonly string[];
  readonly outcome: AuditOutcome;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Address that the request came from: that of the client, when a trusted proxy says so. */
  readonly ip: string;
  /** The number of attempts that this entry represents. */
  readonly attempts: number;
}

/** What the operator does with the data of organizations and users, outside of routes. */
export const OPERATOR_ACTIONS = ['orgs.export', 'users.export', 'users.delete'] as const;

/** What happens to approvals apart from requests by people: a notification is sent, or nobody has decided in time. */
export const APPROVAL_ACTIONS = {
  mail: 'approvals.mail',
  message: 'approvals.message',
  push: 'approvals.push',
  remind: 'approvals.remind',
  escalate: 'approvals.escalate',
  expire: 'approvals.expire',
} as const;

/** Replaces the address of a request in entries of what an agent does. */
export const BY_AGENT = 'agent';

/** The actor of what the operator does: no user has this id. */
export const OPERATOR_ID = '00000000-0000-0000-0000-000000000000';

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

/** Denied attempts of one user and from one address that are recorded singly each minute. */
const PER_USER = 30;
const PER_ADDRESS = 120;
const WINDOW_MS = 60_000;

/** A denied attempt: its actor and the address it came from. */
interface Denial {
  readonly actor: string;
  readonly ip: string;
}

/** The attempts of one user that were not recorded singly: the last one, and their number. */
interface Remainder<T> {
  readonly last: T;
  readonly attempts: number;
}

/**
 * Keeps a flood of denied attempts from filling the disk: lets a fixed number a minute through, and counts the rest.
 * Its memory is bounded by the users who are denied within a minute.
 */
export class DenialBudget<T> {
  #startedAt: number;
  readonly #taken = new Map<string, number>();
  readonly #remainders = new Map<string, Remainder<T>>();

  constructor(now: number) {
    this.#startedAt = now;
  }

  /** Returns whether this attempt is to be recorded singly; otherwise it counts into the remainder of its user. */
  take({ actor, ip }: Denial, attempt: T): boolean {
    const [ofUser, ofAddress] = [this.#next(`user ${actor}`), this.#next(`address ${ip}`)];
    if (ofUser <= PER_USER && ofAddress <= PER_ADDRESS) return true;
    this.#remainders.set(actor, { last: attempt, attempts: (this.#remainders.get(actor)?.attempts ?? 0) + 1 });
    return false;
  }

  /** Begins the next minute when this one is over or `isOver` says so, and returns what is left of it. */
  roll(now: number, isOver = false): Remainder<T>[] {
    if (!isOver && now - this.#startedAt < WINDOW_MS) return [];
    const remainders = [...this.#remainders.values()];
    this.#startedAt = now;
    this.#taken.clear();
    this.#remainders.clear();
    return remainders;
  }

  #next(key: string): number {
    const taken = (this.#taken.get(key) ?? 0) + 1;
    this.#taken.set(key, taken);
    return taken;
  }
}
