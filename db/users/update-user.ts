import type { Database } from '../core/database.ts';

interface UserChanges {
  readonly fullName?: string | undefined;
  readonly passwordHash?: string | undefined;
}

/** Changes the given fields. A new password ends every session of the user. */
export async function updateUser({ system }: Database, userId: string, changes: UserChanges): Promise<void> {
  await system.query(
    `with ended as (
      update sessions set revoked_at = now() where user_id = $1 and $3::text is not null and revoked_at is null
    )
    update users set full_name = coalesce($2, full_name), password_hash = coalesce($3, password_hash), updated_at = now()
    where id = $1`,
    [userId, changes.fullName ?? null, changes.passwordHash ?? null],
  );
}
