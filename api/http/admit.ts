import type { Request } from 'express';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { isAtLeast } from '../../domain/orgs.ts';
import type { PermissionKey } from '../../domain/permissions/keys.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { OrgCaller, SignedInCaller } from '../context/api-context.ts';
import type { OrgAccess, Route } from './define-route.ts';
import { streamQuery } from './fields.ts';
import { InvalidRequest, issuesOf } from './problem.ts';
import { idParams } from '../resources/id-fields.ts';
import { asOrgCaller, type IdentifyCaller } from '../access/authenticate.ts';
import type { Policies } from '../access/policies.ts';

const orgPath = idParams('org_id');

interface Admission {
  readonly policies: Policies;
  readonly identify: IdentifyCaller;
}

/**
 * Lets the caller of a route in, by the access that it declares; a public route has none. Whoever does not belong to
 * the organization that they name gets the same answer whether it exists or not.
 */
export async function admit(
  route: Pick<Route, 'access' | 'rejectsManaged' | 'response'>,
  request: Request,
  { policies, identify }: Admission,
): Promise<SignedInCaller | OrgCaller | undefined> {
  const { access, rejectsManaged } = route;
  if (access === 'public') return undefined;
  const path = typeof access === 'object' ? orgPath.safeParse(request.params) : undefined;
  const named = path?.data?.org_id ?? orgOfStream(route, request);
  const caller = await identify(request, named);
  if (rejectsManaged === true) rejectManaged(caller);
  if (access === 'signed_in') return caller;
  if (path?.error !== undefined) throw new InvalidRequest(issuesOf(path.error, 'path'));
  const member = await asOrgCaller(policies, caller);
  if (typeof access === 'object') return admitToOrg(member, access);
  return admitByPolicy(member, access, named ?? request.headers['x-org-id']);
}

// Clients that open a stream cannot always set headers. An invalid id is rejected later, like any other issue of a
// query.
function orgOfStream({ response }: Pick<Route, 'response'>, { query }: Request): string | undefined {
  return response.stream === undefined ? undefined : streamQuery.safeParse({ org_id: query['org_id'] }).data?.org_id;
}

function rejectManaged({ isManaged }: SignedInCaller): void {
  if (isManaged)
    throw new AppError('forbidden', 'Your account is managed by an organization, which decides about this');
}

function admitByPolicy(member: OrgCaller | undefined, access: 'in_org' | PermissionKey, namedOrg: unknown): OrgCaller {
  if (member === undefined && namedOrg !== undefined) throw notFound('Organization');
  if (member === undefined) throw new AppError('forbidden', 'You belong to no organization; join or create one first');
  if (access === 'in_org' || policyAllows(member.policy, access)) return member;
  const whose = member.policy.isRestricted ? 'Your permission groups do' : 'Your role does';
  throw new AppError('forbidden', `${whose} not include the permission ${access}`);
}

// A stranger learns nothing, not even whether the organization exists.
function admitToOrg(member: OrgCaller | undefined, { org }: OrgAccess): OrgCaller {
  if (member === undefined) throw notFound('Organization');
  if (isAtLeast(member.role, org)) return member;
  throw new AppError('forbidden', `This requires the role ${org} in the organization, and yours is ${member.role}`);
}
