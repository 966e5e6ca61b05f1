import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { isAtLeast } from '../../domain/orgs.ts';
import { useOwnPermissions } from '../core/permissions.ts';
import { useOrgId, useSession } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { ConfirmButton, Dialog } from '../ui/overlays/dialog.tsx';
import { CopyOnce } from '../ui/overlays/copy-once.tsx';
import { Badge, type Column, Loaded, Page, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './members.module.css';
import {
  type Invite,
  type InviteWithToken,
  type Member,
  nameOf,
  type Role,
  useInviteActions,
  useInvites,
  useMembers,
} from './queries.ts';
import { RoleField, whyNotInvite } from './roles.tsx';
import { type MembersText, useMembersText } from './text.ts';

/** How many rows are shown before somebody asks for more. */
const FIRST_ROWS = 200;

/** The members of the organization; for administrators also the invites that can still be used. */
export function MembersPage() {
  const text = useMembersText();
  const [members, { data: own }] = [useMembers(), useOwnPermissions()];
  const [isInviting, setIsInviting] = useState(false);
  const mayInvite = own !== undefined && isAtLeast(own.role, 'admin');
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <Button
          icon={UserPlus}
          variant="primary"
          reason={mayInvite ? undefined : text.why.adminsOnly}
          onClick={() => setIsInviting(true)}
        >
          {text.invite}
        </Button>
      }
    >
      <Loaded query={members}>{(all) => <MemberList members={all} />}</Loaded>
      {mayInvite && <InviteList members={members.data ?? []} />}
      {own !== undefined && <InviteDialog caller={own.role} open={isInviting} onClose={() => setIsInviting(false)} />}
    </Page>
  );
}

interface InviteDialogProps {
  /** The role of whoever invites. */
  readonly caller: Role;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Makes an invite, then shows its link this once. The link is kept in this window only. */
function InviteDialog({ caller, open, onClose }: InviteDialogProps) {
  const text = useMembersText();
  const [made, setMade] = useState<InviteWithToken>();
  return (
    <>
      <Dialog open={open && made === undefined} onClose={onClose} title={text.invite} description={text.inviteWhy}>
        <InviteForm caller={caller} onMade={setMade} />
      </Dialog>
      <CopyOnce
        secret={made && window.location.origin + made.invite_path}
        title={text.madeTitle}
        description={text.madeWhy}
        onStored={() => {
          setMade(undefined);
          onClose();
        }}
      >
        {made?.cli_install_sh !== undefined && <InstallLines invite={made} />}
      </CopyOnce>
    </>
  );
}

function InviteForm({ caller, onMade }: { readonly caller: Role; readonly onMade: (made: InviteWithToken) => void }) {
  const text = useMembersText();
  const { make } = useInviteActions();
  const [role, setRole] = useState<'viewer' | 'member' | 'admin'>('member');
  return (
    <Form
      submitLabel={text.make}
      onSubmit={async ({ email = '', full_name: name = '' }) => {
        const named = { ...(email !== '' && { email }), ...(name !== '' && { full_name: name }) };
        onMade(await make({ role, ...named }));
      }}
    >
      <RoleField
        value={role}
        whyNot={(to) => whyNotInvite(caller, to, text)}
        onValueChange={(to) => to !== 'owner' && setRole(to)}
      />
      <Field label={text.email} name="email" type="email" placeholder={text.optional} hint={text.emailHint} />
      <Field label={text.fullName} name="full_name" placeholder={text.optional} />
    </Form>
  );
}

function InstallLines({ invite }: { readonly invite: InviteWithToken }) {
  const text = useMembersText();
  return (
    <>
      <p>{text.onDevice}</p>
      <CodeBlock code={invite.cli_install_sh ?? ''} language={text.sh} />
      <CodeBlock code={invite.cli_install_ps ?? ''} language={text.powershell} />
    </>
  );
}

/** The invites that can still be used, each to be revoked. */
function InviteList({ members }: { readonly members: readonly Member[] }) {
  const [text, invites] = [useMembersText(), useInvites(true)];
  const makers = new Map(members.map((member) => [member.user_id, nameOf(member)]));
  return (
    <section className={`stack gap-3 ${classes.section}`} aria-labelledby="invites">
      <h2 id="invites">{text.invites}</h2>
      <Loaded query={invites}>
        {(open) =>
          open.length === 0 ? (
            <p className="soft font-normal wrap-anywhere">{text.noInvites}</p>
          ) : (
            <Table label={text.invites} columns={inviteColumns(text, makers)} rows={open} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </section>
  );
}

function inviteColumns(text: MembersText, makers: ReadonlyMap<string, string>): readonly Column<Invite>[] {
  return [
    {
      key: 'for',
      title: text.invitee,
      cell: ({ email, full_name: name }) => (
        <span className="column min-w-0">
          {inviteeOf({ email, full_name: name }, text)}
          {email !== null && name !== null && (
            <span className="soft font-normal wrap-anywhere">{showInvisible(name)}</span>
          )}
        </span>
      ),
    },
    { key: 'role', title: text.role, cell: ({ role }) => text.roles[role] },
    { key: 'by', title: text.madeBy, cell: ({ created_by: id }) => showInvisible(makers.get(id) ?? text.former) },
    { key: 'expires', title: text.expires, cell: ({ expires_at: at }) => timeFromNow(at) },
    { key: 'revoke', title: text.actions, isActions: true, cell: (invite) => <RevokeButton invite={invite} /> },
  ];
}

function RevokeButton({ invite }: { readonly invite: Invite }) {
  const [text, { revoke }] = [useMembersText(), useInviteActions()];
  return (
    <ConfirmButton
      variant="quiet"
      aria-label={text.revokeOne(inviteeOf(invite, text))}
      question={text.revokeInvite}
      why={text.revokeInviteWhy}
      action={text.revoke}
      done={text.revoked}
      onConfirm={async () => revoke(invite.id)}
    />
  );
}

function inviteeOf({ email, full_name: name }: Pick<Invite, 'email' | 'full_name'>, text: MembersText): string {
  return showInvisible(email ?? name ?? text.anybody);
}

function MemberList({ members }: { readonly members: readonly Member[] }) {
  const [text, { userId }] = [useMembersText(), useSession()];
  const navigate = useNavigate({ from: '/o/$orgId/members' });
  const { q = '' } = useSearch({ from: '/o/$orgId/members' });
  const [rows, setRows] = useState(FIRST_ROWS);
  const wanted = q.toLowerCase();
  const found = members.filter(({ full_name: name, email }) => `${name}\n${email}`.toLowerCase().includes(wanted));
  const rest = found.length - rows;
  return (
    <>
      <SearchField
        label={text.filter}
        value={q}
        status={q === '' ? undefined : text.shown(found.length, members.length)}
        onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
      />
      {found.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table
          label={text.title}
          columns={columnsOf(text, userId)}
          rows={found.slice(0, rows)}
          keyOf={({ user_id: id }) => id}
        />
      )}
      {rest > 0 && <Button onClick={() => setRows(rows + FIRST_ROWS)}>{text.more(Math.min(rest, FIRST_ROWS))}</Button>}
    </>
  );
}

function columnsOf(text: MembersText, ownId: string | undefined): readonly Column<Member>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: (member) => <MemberName member={member} isSelf={member.user_id === ownId} />,
    },
    { key: 'role', title: text.role, cell: ({ role }) => text.roles[role] },
    { key: 'joined', title: text.joined, isNumber: true, cell: ({ joined_at: at }) => timeFromNow(at) },
  ];
}

function MemberName({ member, isSelf }: { readonly member: Member; readonly isSelf: boolean }) {
  const [text, orgId] = [useMembersText(), useOrgId()];
  return (
    <span className="column min-w-0">
      <span className="row gap-1-2">
        <Link to="/o/$orgId/members/$userId" params={{ orgId, userId: member.user_id }} className="link">
          {showInvisible(nameOf(member))}
        </Link>
        {isSelf && <Badge tone="good">{text.you}</Badge>}
        {member.is_managed && <Badge>{text.managed}</Badge>}
      </span>
      {member.full_name !== '' && <span className="soft font-normal wrap-anywhere">{showInvisible(member.email)}</span>}
    </span>
  );
}
