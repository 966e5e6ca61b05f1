import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { type ComponentType, type ReactNode, useMemo, useState } from 'react';
import { useTabPart } from '../../core/browser/browser.ts';
import type { Pages } from '../../core/http/use-answer.ts';
import { type PermissionKey, useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useShortcut } from '../../core/shortcuts.ts';
import { ConfirmButton, Dialog } from '../overlays/dialog.tsx';
import { useToast } from '../overlays/toast.tsx';
import { Empty, Loaded, Page, Pager } from '../page/page.tsx';
import { RowList, SplitView } from '../split-view/split-view.tsx';
import { showInvisible } from '../visible.ts';
import { AddButton } from './list-page.tsx';
import classes from '../split-view/split-view.module.css';

/** The address of a list beside which its records open. */
interface ListAddress {
  /** The last part of its address, under which the width of the list is kept, too. */
  readonly name: string;
  /** What the id of a record is called in the address of the record. */
  readonly idName: string;
}

/** A record of such a list. */
interface ListedRecord {
  readonly id: string;
  readonly title: string;
}

/** What such a page says, under the names that the texts of capabilities have for it. */
interface SplitListTexts {
  readonly title: string;
  /** Stands beside the list while nothing is open. */
  readonly choose: string;
  /** Stands in place of the list when nothing of it is left. */
  readonly none: string;
  /** Stands in place of all while there is nothing to list. */
  readonly empty: string;
  readonly emptyWhy: string;
  /** Names what adds a record. */
  readonly addTitle: string;
  readonly added: (title: string) => string;
}

interface SplitListPageProps<T extends ListedRecord> extends ListAddress {
  readonly text: SplitListTexts;
  readonly pages: Pages<unknown>;
  /** What was read of the list, in the order in which it is shown. */
  readonly rows: readonly T[];
  /** Shows a row: texts and badges, nothing that can be clicked by itself. */
  readonly children: (row: T) => ReactNode;
  /** What narrows the list; the address keeps it. */
  readonly filters: ReactNode;
  /** The picture of an empty list. */
  readonly icon: ReactNode;
  /** The right to add a record, and the form that does, by a button or `c`. */
  readonly right: PermissionKey;
  readonly form: ComponentType<{ readonly onDone: (added: ListedRecord) => void }>;
}

/** A page that lists records beside the one that is open. */
export function SplitListPage<T extends ListedRecord>(props: SplitListPageProps<T>): ReactNode {
  const { text, pages, rows, icon, right, form: Form } = props;
  const [reason, [isAdding, setIsAdding]] = [useRefusal(right), useState(false)];
  const [toast, open, search] = [useToast(), useOpenBeside(props), useSearch({ strict: false })];
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  const selected = params[props.idName];
  const close = () => setIsAdding(false);
  const button = <AddButton label={text.addTitle} reason={reason} onClick={() => setIsAdding(true)} />;
  useShortcut('c', text.addTitle, () => {
    if (reason === undefined) setIsAdding(true);
  });
  const isEmpty = pages.data?.total === 0 && Object.keys(search).length === 0;
  const keys = useMemo(() => rows.map(idOf), [rows]);
  const onSelect = (id: string | undefined) => void open(id);
  return (
    <Page title={text.title} actions={isEmpty ? undefined : button} isWide>
      {isEmpty && selected === undefined ? (
        <Empty icon={icon} title={text.empty} action={button}>
          {text.emptyWhy}
        </Empty>
      ) : (
        <SplitView
          name={props.name}
          keys={keys}
          selected={selected}
          onSelect={onSelect}
          list={<List {...props} selected={selected} onSelect={onSelect} />}
          detail={selected === undefined ? <p className={classes.none}>{text.choose}</p> : <Outlet />}
        />
      )}
      <Dialog open={isAdding} onClose={close} title={text.addTitle}>
        <Form
          onDone={({ id, title }) => {
            close();
            toast(text.added(showInvisible(title)));
            onSelect(id);
          }}
        />
      </Dialog>
    </Page>
  );
}

const idOf = ({ id }: ListedRecord) => id;

/** Returns what opens a record beside its list, or none, and keeps what narrows the list. */
function useOpenBeside({ name, idName }: ListAddress): (id: string | undefined) => Promise<void> {
  const [orgId, navigate, search] = [useOrgId(), useNavigate(), useSearch({ strict: false })];
  return async (id) => {
    const to: string = id === undefined ? `/o/$orgId/${name}` : `/o/$orgId/${name}/$${idName}`;
    await navigate({ to, params: { orgId, [idName]: id }, search });
  };
}

interface ListProps<T extends ListedRecord> extends Pick<
  SplitListPageProps<T>,
  'text' | 'pages' | 'rows' | 'children' | 'filters'
> {
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

function List<T extends ListedRecord>(props: ListProps<T>): ReactNode {
  const { text, pages, rows, children, selected, onSelect, filters } = props;
  return (
    <div className="list">
      <div className={`list ${classes.filters}`}>{filters}</div>
      <Loaded query={pages}>
        {() =>
          rows.length === 0 ? (
            <p className={classes.none}>{text.none}</p>
          ) : (
            <RowList label={text.title} rows={rows} keyOf={idOf} selected={selected} onSelect={onSelect}>
              {children}
            </RowList>
          )
        }
      </Loaded>
      <Pager pages={pages} />
    </div>
  );
}

interface OpenedRecordProps extends ListAddress {
  readonly title: string;
  /** What is known about it, in a line. */
  readonly facts: ReactNode;
  /** Buttons, before the one that deletes it. */
  readonly actions: ReactNode;
  readonly text: {
    readonly delete: string;
    readonly deleteTitle: (title: string) => string;
    readonly deleteWhy: string;
    readonly deleted: (title: string) => string;
  };
  /** Why it cannot be deleted; undefined when it can. */
  readonly reason: string | undefined;
  readonly onRemove: () => Promise<void>;
  readonly children: ReactNode;
}

/** A record that is open beside its list. Once it is deleted, the list stands alone. */
export function OpenedRecord(props: OpenedRecordProps): ReactNode {
  const { text, facts, actions, reason, onRemove, children } = props;
  const [toast, open] = [useToast(), useOpenBeside(props)];
  const title = showInvisible(props.title);
  useTabPart(title);
  return (
    <article className={`stack ${classes.opened}`} aria-label={title}>
      <header>
        <div>
          <h2>{title}</h2>
          {facts}
        </div>
        <div className="row">
          {actions}
          <ConfirmButton
            icon={Trash2}
            variant="quiet"
            reason={reason}
            aria-label={text.delete}
            question={text.deleteTitle(title)}
            why={text.deleteWhy}
            action={text.delete}
            onConfirm={async () => {
              await onRemove();
              toast(text.deleted(title));
              await open(undefined);
            }}
          >
            {null}
          </ConfirmButton>
        </div>
      </header>
      {children}
    </article>
  );
}

interface ListRowProps {
  readonly title: string;
  /** Facts below the title: marks and badges. */
  readonly children: ReactNode;
  /** Whose it is, cut when it is long. */
  readonly name?: string | undefined;
  /** What stands at the end of the line: how old it is. */
  readonly end: string;
}

/** What a row beside an open record shows: its title, and a line of facts. */
export function ListRow({ title, children, name, end }: ListRowProps): ReactNode {
  return (
    <span className={classes.listRow}>
      <span className={classes.title}>{title}</span>
      <span className="facts">
        {children}
        {name !== undefined && <span className={`truncate ${classes.name}`}>{name}</span>}
        <span className="nowrap ms-auto">{end}</span>
      </span>
    </span>
  );
}
