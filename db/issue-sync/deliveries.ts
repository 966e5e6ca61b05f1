import type { EntityManager } from '@mikro-orm/postgresql';
import type { HostEvent } from '../../domain/issue-sync/host-event.ts';
import type { CodeHostKind } from '../../domain/projects.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { purgeRows } from '../records/records.ts';
import { requireRoomForWork } from '../work-usage.ts';
import { removeComment, storeComments } from './store-comments.ts';
import { forgetIssue, type HostedProject, storeIssues } from './store-issues.ts';

/** The webhook by which a code host reports changes of a project's repository. */
export interface HostWebhook {
  readonly orgId: string;
  readonly repoUrl: string;
  readonly kind: CodeHostKind;
  /** Encrypted. */
  readonly secret: Buffer;
  /** The id of the repository, when it was read before. */
  readonly repoId: string | null;
}

/** Hosts offer to deliver again for a few days. */
const MAX_AGE = '14 days';
/** The ids of deliveries that a project remembers. */
const MAX_REMEMBERED = 5_000;

/** Returns how the webhook of a live project is checked; undefined when there is none. */
export async function findWebhook(
  { system }: Pick<Database, 'system'>,
  projectId: string,
): Promise<HostWebhook | undefined> {
  const { rows } = await system.query<HostWebhook>({
    name: 'find-host-webhook',
    text: `select p.org_id as "orgId", p.repo_url as "repoUrl", p.repo_type as kind, p.webhook_secret as secret,
        m.repo_id as "repoId"
      from projects p left join sync_marks m on m.project_id = p.id and m.repo_url = p.repo_url
      where p.id = $1 and p.deleted_at is null and p.repo_url <> '' and p.webhook_secret is not null`,
    values: [projectId],
  });
  return rows[0];
}

/** A delivery whose signature was checked. */
interface TakenDelivery {
  /** It was reported before when one of them was. */
  readonly deliveryIds: readonly string[];
  readonly event: HostEvent | undefined;
  readonly limits: OrgLimits;
}

/**
 * Applies what a host reports, once per delivery; returns false when it was reported before. `not_found` when the
 * project is gone, `conflict` when it has no room: then the delivery does not count, and can be repeated.
 */
export async function takeDelivery(
  database: Database,
  project: HostedProject,
  { deliveryIds, event, limits }: TakenDelivery,
): Promise<boolean> {
  return withOrgTransaction(database, project.orgId, async (em) => {
    const added = await em.execute<object[]>(
      `insert into host_deliveries (project_id, delivery_id, org_id)
        select ?, id, ? from jsonb_array_elements_text(?::jsonb) as id order by id on conflict do nothing returning delivery_id`,
      [project.projectId, project.orgId, JSON.stringify(deliveryIds)],
    );
    if (added.length < deliveryIds.length) return false;
    await em.execute(
      `delete from host_deliveries where project_id = ? and received_at < (
        select received_at from host_deliveries where project_id = ? order by received_at desc offset ? limit 1
      )`,
      [project.projectId, project.projectId, MAX_REMEMBERED - 1],
    );
    if (event === undefined) return true;
    await requireRoomForWork(em, project.orgId, limits);
    await takeOver(em, project, event);
    return true;
  });
}

async function takeOver(em: EntityManager, project: HostedProject, event: HostEvent): Promise<void> {
  const { issue, goneIssue, comment, goneComment } = event;
  if (issue !== undefined) await storeIssues(em, project, [issue]);
  if (goneIssue !== undefined) await forgetIssue(em, project, goneIssue);
  if (comment !== undefined) await storeComments(em, project, [comment]);
  if (goneComment !== undefined) await removeComment(em, project, goneComment);
}

/** Forgets deliveries that no host repeats any more. */
export async function purgeDeliveries(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'host_deliveries', `received_at < now() - interval '${MAX_AGE}'`);
}
