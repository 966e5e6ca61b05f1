import type { z } from 'zod';
import type { IssueComment, ShownIssue } from '../../db/issues/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { hideAgents } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { commentSchema, issueSchema } from './schema.ts';

/** Returns an issue as the API shows it, without the agents that the caller may not use. */
export function presentIssue({ policy }: OrgCaller, issue: ShownIssue): z.input<typeof issueSchema> {
  return present(issueSchema, hideAgents(policy, issue));
}

/** Returns a comment in the same way. */
export function presentComment({ policy }: OrgCaller, comment: IssueComment): z.input<typeof commentSchema> {
  return present(commentSchema, hideAgents(policy, comment));
}
