import type { z } from 'zod';
import type { Org } from '../../db/orgs/index.ts';
import type { orgSchema } from './schema.ts';

/** An organization as the API shows it to a member. */
export function presentOrg(org: Org): z.input<typeof orgSchema> {
  return {
    id: org.id,
    name: org.name,
    icon: org.icon,
    color: org.color,
    role: org.role,
    created_at: org.createdAt.toISOString(),
    updated_at: org.updatedAt.toISOString(),
  };
}
