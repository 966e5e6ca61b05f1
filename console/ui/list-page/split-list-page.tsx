import { type ReactNode, useMemo } from 'react';
import type { Pages } from '../../core/http/use-pages.ts';
import { useShortcut } from '../../core/shortcuts.ts';
import base from '../base.module.css';
import { Empty } from '../page/empty.tsx';
import { Pager } from '../page/pager.tsx';
import { Loaded } from '../page/loaded.tsx';
import { Page } from '../page/page.tsx';
import { RowList } from '../split-view/row-list.tsx';
import { SplitView } from '../split-view/split-view.tsx';
import { AddButton } from './list-page.tsx';
import classes from './split-list-page.module.css';

interface SplitListPageProps<T> {
  /** The name under which the width of the list is kept. */
  readonly name: string;
  readonly title: string;
  readonly pages: Pages<unknown>;
  /** What was read of the list, in the order in which it is shown. */
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Shows a row: texts and badges, nothing that can be clicked by itself. */
  readonly children: (row: T) => ReactNode;
  /** The row that is open, as the address says, and what opens one, or none. */
  readonly selected: string | undefined;
  readonly onSelect: (key: string | undefined) => void;
  /** What is open; `choose` is said in its place while nothing is. */
  readonly detail: ReactNode;
  readonly choose: string;
  /** What narrows the list, whether something does, and what is said when nothing is left. */
  readonly filters: ReactNode;
  readonly isNarrowed: boolean;
  readonly none: string;
  /** What stands in the place of all while there is nothing to list. */
  readonly empty: { readonly icon: ReactNode; readonly title: string; readonly why: string };
  /** What adds a row, by its button or `c`. */
  readonly add: { readonly label: string; readonly reason: string | undefined; readonly onClick: () => void };
  readonly dialogs: ReactNode;
}

/** A page that lists records beside the one that is open. */
export function SplitListPage<T>(props: SplitListPageProps<T>): ReactNode {
  const { title, pages, rows, keyOf, selected, isNarrowed, empty, add } = props;
  useShortcut('c', add.label, () => {
    if (add.reason === undefined) add.onClick();
  });
  const isEmpty = pages.data?.total === 0 && !isNarrowed;
  const keys = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  return (
    <Page title={title} actions={isEmpty ? undefined : <AddButton {...add} />} isWide>
      {isEmpty && selected === undefined ? (
        <Empty icon={empty.icon} title={empty.title} action={<AddButton {...add} />}>
          {empty.why}
        </Empty>
      ) : (
        <SplitView
          name={props.name}
          keys={keys}
          selected={selected}
          onSelect={props.onSelect}
          list={<List {...props} />}
          detail={selected === undefined ? <p className={classes.none}>{props.choose}</p> : props.detail}
        />
      )}
      {props.dialogs}
    </Page>
  );
}

function List<T>(props: SplitListPageProps<T>): ReactNode {
  const { title, pages, rows, keyOf, children, selected, onSelect, filters, none } = props;
  return (
    <div className={base.list}>
      <div className={classes.filters}>{filters}</div>
      <Loaded query={pages}>
        {() =>
          rows.length === 0 ? (
            <p className={classes.none}>{none}</p>
          ) : (
            <RowList label={title} rows={rows} keyOf={keyOf} selected={selected} onSelect={onSelect}>
              {children}
            </RowList>
          )
        }
      </Loaded>
      <Pager pages={pages} />
    </div>
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
    <span className={classes.row}>
      <span className={classes.title}>{title}</span>
      <span className={base.facts}>
        {children}
        {name !== undefined && <span className={classes.name}>{name}</span>}
        <span className={classes.end}>{end}</span>
      </span>
    </span>
  );
}
