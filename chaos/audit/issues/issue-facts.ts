import type { TestStack } from '../../../test/support/test-stack.ts';

/** What is stored of an issue of the code host. */
interface IssueFact {
  readonly id: string;
  /** Its id at the host; null for one that is known at no host. */
  readonly externalId: string | null;
  readonly title: string;
  readonly status: string;
  readonly labels: readonly string[];
}

/** A stored comment. */
interface CommentFact {
  readonly id: string;
  /** Its id at the host; null for one that is known at no host. */
  readonly externalId: string | null;
  readonly content: string;
}

/** All that is stored of issues and of what keeps them in step with their host. */
export interface IssueFacts {
  readonly issues: readonly IssueFact[];
  readonly comments: readonly CommentFact[];
  readonly deliveryIds: readonly string[];
  readonly syncs: readonly { readonly id: string; readonly status: string; readonly error: string | null }[];
  /** What the host is still to be told, or has refused. */
  readonly pushes: readonly { readonly id: string; readonly error: string | null }[];
}

/** Reads the record of the issues. */
export async function readIssueFacts(stack: TestStack): Promise<IssueFacts> {
  const deliveries = await stack.query<{ id: string }>('select delivery_id as id from host_deliveries');
  return {
    issues: await stack.query(`select i.id, r.external_id as "externalId", i.title, i.status, i.labels
      from issues i left join remote_issues r on r.issue_id = i.id`),
    comments: await stack.query(`select k.id, r.external_id as "externalId", k.content
      from issue_comments k left join remote_comments r on r.comment_id = k.id`),
    deliveryIds: deliveries.map(({ id }) => id),
    syncs: await stack.query('select id, status, error from project_syncs'),
    pushes: await stack.query('select id, error from issue_pushes'),
  };
}
