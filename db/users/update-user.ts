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
    ), password as (
      insert into user_passwords (user_id, hash) select $1, $3 where $3::text is not null
      on conflict (user_id) do update set hash = excluded.hash, changed_at = now()
    )
    update users set full_name = coalesce($2, full_name), updated_at = now() where id = $1`,
    [userId, changes.fullName ?? null, changes.passwordHash ?? null],
  );
}
