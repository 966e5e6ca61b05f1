import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../core/database.ts';
import { rejectTakenAddress } from './taken-address.ts';

interface Registration {
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  readonly fullName: string;
  readonly passwordHash: string;
  readonly orgName: string;
}

/** Creates a user and an organization that they own. Rejects an address that has an account. */
export async function registerUser({ system }: Database, input: Registration): Promise<{ userId: string }> {
  const userId = uuidv7();
  try {
    await system.query(
      `with org as (insert into orgs (id, name) values ($1, $2)),
        account as (insert into users (id, email, full_name, active_org_id) values ($3, $4, $5, $1)),
        password as (insert into user_passwords (user_id, hash) values ($3, $6))
      insert into memberships (org_id, user_id, role) values ($1, $3, 'owner')`,
      [uuidv7(), input.orgName, userId, input.email, input.fullName, input.passwordHash],
    );
  } catch (error) {
    rejectTakenAddress(error);
  }
  return { userId };
}
