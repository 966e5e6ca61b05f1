import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { isAtLeast } from '../../../domain/orgs/index.ts';
import { useOwnPermissions } from '../../core/permissions.ts';
import { useOrgId, useSession } from '../../core/session/session-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import { buttonClass } from '../../ui/controls/button.tsx';
import { BackLink } from '../../ui/controls/back-link.tsx';
import { Badge } from '../../ui/page/badge.tsx';
import { Empty } from '../../ui/page/empty.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { DeviceSection } from './device-section.tsx';
import { HandOverSection } from './hand-over-section.tsx';
import { nameOf } from '../member-name.ts';
import classes from '../members-page.module.css';
import { PasswordSection } from './password-section.tsx';
import { type Member, type Role, useMembers } from '../queries.ts';
import { RemoveSection } from './remove-section.tsx';
import { RoleSection } from './role-section.tsx';
import type { MemberQuestion } from '../roles/rules.ts';
import { type MembersText, useMembersText } from '../text.ts';

/** One member: the role, the devices, a link for a new password, and the end of the membership. */
export function MemberPage() {
  const { orgId, userId } = useParams({ from: '/o/$orgId/members/$userId' });
  const members = useMembers();
  const { data: own } = useOwnPermissions();
  const member = members.data?.find(({ user_id: id }) => id === userId);
  const text = useMembersText();
  return (
    <Page
      title={member === undefined ? text.title : showInvisible(nameOf(member))}
      back={
        <BackLink to="/o/$orgId/members" params={{ orgId }}>
          {text.back}
        </BackLink>
      }
      lead={member && leadOf(member, text)}
      actions={member?.is_managed === true && <Badge>{text.managedWhy}</Badge>}
    >
      <Loaded query={members}>
        {() =>
          member === undefined ? (
            <Empty title={text.gone} />
          ) : (
            own !== undefined && <Sections key={userId} member={member} caller={own.role} />
          )
        }
      </Loaded>
    </Page>
  );
}

function leadOf({ full_name: name, email, joined_at: at }: Member, text: MembersText): string {
  const joined = text.joinedAt(timeFromNow(at));
  return name === '' ? joined : `${showInvisible(email)} · ${joined}`;
}

function Sections({ member, caller }: { readonly member: Member; readonly caller: Role }) {
  const { userId } = useSession();
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const isSelf = userId === member.user_id;
  const question: MemberQuestion = { caller, target: member, isSelf };
  const isAdministrator = isAtLeast(caller, 'admin');
  return (
    <div className={classes.sections}>
      {isSelf && <OwnSection />}
      <RoleSection member={member} question={question} />
      {isAdministrator && !isSelf && <DeviceSection member={member} question={question} />}
      {!isSelf && <PasswordSection member={member} question={question} />}
      {caller === 'owner' && !isSelf && <HandOverSection member={member} />}
      {!isSelf && (
        <RemoveSection
          member={member}
          question={question}
          onRemoved={() => void navigate({ to: '/o/$orgId/members', params: { orgId } })}
        />
      )}
    </div>
  );
}

function OwnSection() {
  const [text, orgId] = [useMembersText(), useOrgId()];
  return (
    <Section
      title={text.itself}
      lead={text.itselfWhy}
      actions={
        <Link to="/o/$orgId/settings" params={{ orgId }} className={buttonClass()}>
          {text.toSettings}
        </Link>
      }
    />
  );
}
