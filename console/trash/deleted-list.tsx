import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNow } from '../core/clock.ts';
import { useCurrentUser } from '../core/session/current-user.ts';
import { dateAndTime, timeFromNow } from '../core/text/times.ts';
import { nameOf, useMembers } from '../members/index.ts';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { Kind } from './kinds.ts';
import { type DeletedRecord, useDeleted } from './queries.ts';
import { RowActions } from './row-actions.tsx';
import { type TrashText, useTrashText } from './text.ts';
import classes from './trash.module.css';

/** The deleted records of a kind, each with what brings it back. */
export function DeletedList({ kind }: { readonly kind: Kind }): ReactNode {
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
    { key: 'name', title: text.name, cell: (row) => <span className={classes.name}>{nameIn(row)}</span> },
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
