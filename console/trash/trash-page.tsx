import { useNavigate, useSearch } from '@tanstack/react-router';
import { RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNow } from '../core/clock.ts';
import { useOwnPermissions } from '../core/permissions.ts';
import { useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import { dateAndTime, timeFromNow } from '../core/text/formats.ts';
import { nameOf, useMembers } from '../members/queries.ts';
import { ActionButton, ConfirmButton } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { type Column, Empty, Loaded, Page, Pager, Table } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Kind, KINDS, NEEDED } from './kinds.ts';
import { type DeletedRecord, useDeleted, useTrashActions } from './queries.ts';
import { type TrashText, useTrashText } from './text.ts';
import classes from './trash-page.module.css';

/** What was deleted and can be restored: a tab for each kind of which the user may restore any. */
export function TrashPage(): ReactNode {
  const text = useTrashText();
  const { of } = useSearch({ from: '/o/$orgId/trash' });
  const navigate = useNavigate({ from: '/o/$orgId/trash' });
  const own = useOwnPermissions();
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={own}>
        {({ permissions }) => (
          <Tabs<Kind>
            label={text.kinds}
            value={of}
            onValueChange={(kind) => void navigate({ search: kind === 'chats' ? {} : { of: kind }, replace: true })}
            tabs={KINDS.filter((kind) => kind === 'chats' || permissions.includes(NEEDED[kind])).map((kind) => ({
              value: kind,
              label: text[kind],
              content: <DeletedList kind={kind} />,
            }))}
          />
        )}
      </Loaded>
    </Page>
  );
}

/** The deleted records of a kind, each with what brings it back. */
function DeletedList({ kind }: { readonly kind: Kind }): ReactNode {
  const text = useTrashText();
  const deleted = useDeleted(kind);
  return (
    <Loaded query={deleted}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon={<Trash2 />} title={text.empty[kind]}>
            {text.emptyWhy}
          </Empty>
        ) : (
          <>
            <p className={classes.lead}>{text.kept[kind]}</p>
            <Table label={text[kind]} columns={columnsOf(kind, text)} rows={items} keyOf={({ id }) => id} />
            <Pager pages={deleted} />
          </>
        )
      }
    </Loaded>
  );
}

function columnsOf(kind: Kind, text: TrashText): readonly Column<DeletedRecord>[] {
  const nameIn = ({ name }: DeletedRecord) => (name === '' ? text.untitled : showInvisible(name));
  const last: Column<DeletedRecord> =
    kind === 'chats'
      ? { key: 'purge', title: text.goneForGood, cell: ({ purgeAt }) => <PurgeTime at={purgeAt} /> }
      : { key: 'by', title: text.by, cell: ({ deletedBy = null }) => <Deleter userId={deletedBy} /> };
  return [
    { key: 'name', title: text.name, cell: (row) => <span className="wrap-anywhere">{nameIn(row)}</span> },
    {
      key: 'deleted',
      title: text.deleted,
      cell: ({ deletedAt }) => (deletedAt === null ? text.notKnown : <Moment at={deletedAt} />),
    },
    last,
    {
      key: 'actions',
      title: text.actions,
      isActions: true,
      cell: (row) => <RowActions kind={kind} record={row} name={nameIn(row)} />,
    },
  ];
}

interface RowActionsProps {
  readonly kind: Kind;
  readonly record: DeletedRecord;
  /** What the record is called where people read it. */
  readonly name: string;
}

/** Brings a record back, or deletes a provider account with its key for good once its name was typed. */
function RowActions({ kind, record, name }: RowActionsProps): ReactNode {
  const [text, toast, actions] = [useTrashText(), useToast(), useTrashActions(kind)];
  const open = useOpenRecord(kind, record.id);
  return (
    <span className={`wrap ${classes.actions}`}>
      <ActionButton
        icon={RotateCcw}
        aria-label={text.restoreNamed(name)}
        action={async () => {
          await actions.restore(record.id);
          toast(text.restored(name), 'done', { label: text.open, run: open });
        }}
      >
        {text.restore}
      </ActionButton>
      {kind === 'providers' && (
        <ConfirmButton
          variant="danger"
          aria-label={text.purgeNamed(name)}
          question={text.purgeAsk(name)}
          why={text.purgeWhy}
          action={text.purge}
          typedName={record.name}
          done={text.purged(name)}
          onConfirm={async () => actions.purgeAccount(record.id)}
        />
      )}
    </span>
  );
}

function useOpenRecord(kind: Kind, id: string): () => void {
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const leads: Readonly<Record<Kind, () => Promise<void>>> = {
    chats: async () => navigate({ to: '/o/$orgId/chats/$chatId', params: { orgId, chatId: id } }),
    agents: async () => navigate({ to: '/o/$orgId/agents/$agentId', params: { orgId, agentId: id } }),
    providers: async () => navigate({ to: '/o/$orgId/providers/$providerId', params: { orgId, providerId: id } }),
    projects: async () => navigate({ to: '/o/$orgId/projects/$projectId', params: { orgId, projectId: id } }),
  };
  return () => void leads[kind]();
}

function Moment({ at }: { readonly at: string }): ReactNode {
  return (
    <time dateTime={at} title={dateAndTime(at)}>
      {timeFromNow(at)}
    </time>
  );
}

/** Says when a record is removed for good; it is removed soon after its time, not at once. */
function PurgeTime({ at }: { readonly at: string | null }): ReactNode {
  const [text, now] = [useTrashText(), useNow()];
  if (at === null) return text.never;
  return Date.parse(at) <= now ? text.soon : <Moment at={at} />;
}

function Deleter({ userId }: { readonly userId: string | null }): ReactNode {
  const text = useTrashText();
  const [members, me] = [useMembers().data, useCurrentUser().data];
  if (userId === null) return text.notKnown;
  if (userId === me?.id) return text.byYou;
  if (members === undefined) return '…';
  const member = members.find((each) => each.user_id === userId);
  return member === undefined ? text.byGone : showInvisible(nameOf(member));
}
