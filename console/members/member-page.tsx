import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isAtLeast } from '../../domain/orgs.ts';
import { Problem } from '../core/http/problem.ts';
import { useOwnPermissions } from '../core/permissions.ts';
import { useCurrentUser, useOrgId, useSession } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { BackLink, Button, buttonClass } from '../ui/controls/button.tsx';
import { Confirm, ConfirmButton, DangerSection } from '../ui/overlays/dialog.tsx';
import { CopyOnce } from '../ui/overlays/copy-once.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, type Column, Empty, Loaded, Page, Section, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './members.module.css';
import {
  type Device,
  type Member,
  nameOf,
  type Role,
  useMemberActions,
  useMemberDevices,
  useMembers,
} from './queries.ts';
import {
  type MemberQuestion,
  type MemberSectionProps,
  RoleField,
  whyNoPasswordLink,
  whyNotEnd,
  whyNotRole,
} from './roles.tsx';
import { type MembersText, useMembersText } from './text.ts';

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
      back={<BackLink to="/o/$orgId/members" params={{ orgId }} label={text.back} />}
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
    <div className="form">
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

interface RemoveSectionProps extends MemberSectionProps {
  readonly onRemoved: () => void;
}

/** Ends a membership, after it was said what stops with it and what stays. */
function RemoveSection({ member, question, onRemoved }: RemoveSectionProps) {
  const [text, toast] = [useMembersText(), useToast()];
  const { remove } = useMemberActions(member.user_id);
  const name = showInvisible(nameOf(member));
  return (
    <DangerSection
      title={text.remove}
      why={text.removeWhy}
      action={text.removeAction}
      question={text.removeTitle(name)}
      reason={whyNotEnd(question, text)}
      onConfirm={async () => {
        await remove();
        toast(text.removed(name));
        onRemoved();
      }}
    >
      <ul className={classes.stays}>
        {text.stays.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </DangerSection>
  );
}

/** Makes another member the owner, once the name of the organization was typed. */
function HandOverSection({ member }: { readonly member: Member }) {
  const [text, orgId] = [useMembersText(), useOrgId()];
  const { setRole } = useMemberActions(member.user_id);
  const { data: user } = useCurrentUser();
  const name = showInvisible(nameOf(member));
  const org = user?.orgs.find(({ id }) => id === orgId)?.name ?? '';
  return (
    <DangerSection
      title={text.handOver}
      why={text.handOverWhy(name)}
      action={text.handOver}
      question={text.handOverTitle(showInvisible(org), name)}
      reason={undefined}
      typedName={org}
      done={text.handedOver(name)}
      onConfirm={async () => setRole('owner')}
    />
  );
}

/** Makes the link with which the user of a managed account sets a password, and shows it this once. */
function PasswordSection({ member, question }: MemberSectionProps) {
  const [text, toast] = [useMembersText(), useToast()];
  const { makePasswordLink } = useMemberActions(member.user_id);
  const [isBusy, setIsBusy] = useState(false);
  const [link, setLink] = useState<string>();
  const make = async () => {
    setIsBusy(true);
    try {
      const { password_path: path } = await makePasswordLink();
      setLink(window.location.origin + path);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      toast(error.message, 'failed');
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Section
      title={text.password}
      lead={text.passwordWhy}
      actions={
        <Button busy={isBusy} reason={whyNoPasswordLink(question, text)} onClick={() => void make()}>
          {text.makeLink}
        </Button>
      }
    >
      <CopyOnce
        secret={link}
        title={text.linkTitle}
        description={text.linkWhy(showInvisible(nameOf(member)))}
        onStored={() => setLink(undefined)}
      />
    </Section>
  );
}

/** The role of a member, to be changed by whom the rules allow it. */
function RoleSection({ member, question }: MemberSectionProps) {
  const [text, toast] = [useMembersText(), useToast()];
  const { setRole } = useMemberActions(member.user_id);
  const [chosen, setChosen] = useState(member.role);
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const change = async () => {
    await setRole(chosen);
    toast(text.changed(showInvisible(nameOf(member)), text.roles[chosen]));
  };
  const save = async () => {
    setIsBusy(true);
    await change().catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      toast(error.message, 'failed');
    });
    setIsBusy(false);
  };
  if (member.role === 'owner') return <Section title={text.roles.owner} lead={text.why.ownerStays} />;
  if (!isAtLeast(question.caller, 'admin'))
    return <Section title={text.roles[member.role]} lead={text.rolesSay[member.role]} />;
  return (
    <Section title={text.role}>
      <RoleField
        isTitled
        value={chosen}
        onValueChange={setChosen}
        whyNot={(role) => whyNotRole(question, role, text)}
      />
      <div className="wrap">
        <Button
          variant="primary"
          busy={isBusy}
          reason={chosen === member.role ? text.unchanged : whyNotRole(question, chosen, text)}
          onClick={() => (question.isSelf ? setIsAsking(true) : void save())}
        >
          {text.save}
        </Button>
      </div>
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.lower}
        description={text.lowerWhy}
        action={text.stepDown}
        onConfirm={change}
      />
    </Section>
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

/** The devices that a member has signed in to this organization. */
export function DeviceSection({ member, question }: MemberSectionProps) {
  const text = useMembersText();
  const devices = useMemberDevices(member.user_id, true);
  const signOut = (device: Device) => <SignOut member={member} question={question} device={device} />;
  return (
    <Section title={text.devices} lead={text.devicesWhy}>
      <Loaded query={devices}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="soft font-normal wrap-anywhere">{text.noDevices}</p>
          ) : (
            <Table label={text.devices} columns={deviceColumns(text, signOut)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

function SignOut({ member, question, device }: MemberSectionProps & { readonly device: Device }) {
  const [text, { endDevice }] = [useMembersText(), useMemberActions(member.user_id)];
  const name = showInvisible(device.name);
  return (
    <ConfirmButton
      variant="quiet"
      aria-label={text.signOutOne(name)}
      reason={whyNotEnd(question, text)}
      question={text.signOutDevice(name)}
      why={text.signOutWhy}
      action={text.signOut}
      done={text.signedOut(name)}
      onConfirm={async () => endDevice(device.id)}
    />
  );
}

function deviceColumns(text: MembersText, signOut: (device: Device) => ReactNode): readonly Column<Device>[] {
  return [
    {
      key: 'name',
      title: text.device,
      cell: ({ name, platform }) => (
        <span className="column min-w-0">
          {showInvisible(name)}
          <span className="soft font-normal wrap-anywhere">{showInvisible(platform)}</span>
        </span>
      ),
    },
    {
      key: 'used',
      title: text.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
    { key: 'expires', title: text.expires, cell: ({ expires_at: at }) => timeFromNow(at) },
    { key: 'end', title: text.actions, isActions: true, cell: signOut },
  ];
}
