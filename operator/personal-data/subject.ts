import { z } from 'zod';
import { recordActs } from '../../db/audit.ts';
import type { Database } from '../../db/core/database.ts';
import type { Transaction } from '../../db/core/transactions.ts';
import { OPERATOR_ID, type OPERATOR_ACTIONS } from '../../domain/audit.ts';
import { Refusal } from '../program.ts';

/** Whose data is exported or deleted: an organization, or a user in all of them. */
export interface Subject {
  readonly kind: 'org' | 'user';
  readonly id: string;
  /** The name of an organization, the e-mail address of a user. */
  readonly name: string;
  readonly isDeleted: boolean;
}

/** How a subject is named in arguments. */
export interface NamedSubject {
  /** An id or a name. */
  readonly org?: string | undefined;
  /** An id or an e-mail address. */
  readonly user?: string | undefined;
}

/** Finds the subject that the arguments name. Throws a `Refusal` when there is none. */
export async function findSubject({ system }: Database, { org, user }: NamedSubject): Promise<Subject> {
  const named = org ?? user ?? '';
  const isId = z.uuid().safeParse(named).success;
  const [table, name] = org === undefined ? ['users', 'email'] : ['orgs', 'name'];
  const { rows } = await system.query<Omit<Subject, 'kind'>>(
    `select id, ${name} as name, deleted_at is not null as "isDeleted" from ${table} where ${isId ? 'id' : name} = $1`,
    [isId || org !== undefined ? named : named.toLowerCase()],
  );
  const [found, ...others] = rows;
  if (others.length > 0)
    throw new Refusal(`Several organizations are named ${named}: ${rows.map(({ id }) => id).join(', ')}.`);
  if (found !== undefined) return { kind: org === undefined ? 'user' : 'org', ...found };
  throw new Refusal(`There is no ${org === undefined ? 'user' : 'organization'} ${named}.`);
}

/**
 * Notes in the audit log of each organization what the operator does with the data of a subject, on `database.system`
 * or in a transaction of it.
 */
export async function noteInAuditLog(
  system: Transaction,
  { id }: Subject,
  { action, orgIds }: { readonly action: (typeof OPERATOR_ACTIONS)[number]; readonly orgIds: readonly string[] },
): Promise<void> {
  await recordActs(
    { system },
    orgIds.map((orgId) => ({ actorId: OPERATOR_ID, orgId, action, recordId: id, ip: '' })),
  );
}

/** Returns the organizations that the data of a subject is in, as far as they have members. */
export async function orgsOf({ system }: Database, { kind, id }: Subject): Promise<string[]> {
  if (kind === 'org') return [id];
  const { rows } = await system.query<{ orgId: string }>(
    'select org_id as "orgId" from memberships where user_id = $1 order by org_id',
    [id],
  );
  return rows.map(({ orgId }) => orgId);
}
