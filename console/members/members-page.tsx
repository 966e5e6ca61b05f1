import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { isAtLeast } from '../../domain/orgs/index.ts';
import { useOwnPermissions } from '../core/permissions.ts';
import { useOrgId, useSession } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { InviteDialog } from './invites/invite-dialog.tsx';
import { InviteList } from './invites/invite-list.tsx';
import { nameOf } from './member-name.ts';
import classes from './members-page.module.css';
import { type Member, useMembers } from './queries.ts';
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
        <Button look="primary" reason={mayInvite ? undefined : text.why.adminsOnly} onClick={() => setIsInviting(true)}>
          <UserPlus aria-hidden />
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
    <span className={classes.name}>
      <span className={classes.line}>
        <Link to="/o/$orgId/members/$userId" params={{ orgId, userId: member.user_id }} className={classes.link}>
          {showInvisible(nameOf(member))}
        </Link>
        {isSelf && <Badge tone="good">{text.you}</Badge>}
        {member.is_managed && <Badge>{text.managed}</Badge>}
      </span>
      {member.full_name !== '' && <span className={classes.soft}>{showInvisible(member.email)}</span>}
    </span>
  );
}
