import { type ReactNode, useMemo, useState } from 'react';
import type { Pages } from '../../core/http/use-answer.ts';
import { useRefusal } from '../../core/permissions.ts';
import { useShortcut } from '../../core/shortcuts.ts';
import { Dialog } from '../overlays/dialog.tsx';
import { Empty, Loaded, Page, Pager } from '../page/page.tsx';
import { RowList, SplitView } from '../split-view/split-view.tsx';
import { AddButton, type AddByForm } from './list-page.tsx';
import classes from '../split-view/split-view.module.css';

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
  /** Names what adds a row. */
  readonly addTitle: string;
}

interface SplitListPageProps<T> {
  /** The name under which the width of the list is kept. */
  readonly name: string;
  readonly text: SplitListTexts;
  readonly pages: Pages<unknown>;
  /** What was read of the list, in the order in which it is shown. */
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Shows a row: texts and badges, nothing that can be clicked by itself. */
  readonly children: (row: T) => ReactNode;
  /** The row that is open, as the address says, and what opens one, or none. */
  readonly selected: string | undefined;
  readonly onSelect: (key: string | undefined) => void;
  /** What is open. */
  readonly detail: ReactNode;
  /** What narrows the list, and whether something does. */
  readonly filters: ReactNode;
  readonly isNarrowed: boolean;
  /** The picture of an empty list. */
  readonly icon: ReactNode;
  /** What adds a row, by its button or `c`. */
  readonly add: AddByForm;
}

/** A page that lists records beside the one that is open. */
export function SplitListPage<T>(props: SplitListPageProps<T>): ReactNode {
  const { text, pages, rows, keyOf, selected, isNarrowed, icon, add } = props;
  const [reason, [isAdding, setIsAdding]] = [useRefusal(add.right), useState(false)];
  const close = () => setIsAdding(false);
  const button = <AddButton label={text.addTitle} reason={reason} onClick={() => setIsAdding(true)} />;
  useShortcut('c', text.addTitle, () => {
    if (reason === undefined) setIsAdding(true);
  });
  const isEmpty = pages.data?.total === 0 && !isNarrowed;
  const keys = useMemo(() => rows.map(keyOf), [rows, keyOf]);
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
          onSelect={props.onSelect}
          list={<List {...props} />}
          detail={selected === undefined ? <p className={classes.none}>{text.choose}</p> : props.detail}
        />
      )}
      <Dialog open={isAdding} onClose={close} title={text.addTitle}>
        <add.form onDone={close} />
      </Dialog>
    </Page>
  );
}

function List<T>(props: SplitListPageProps<T>): ReactNode {
  const { text, pages, rows, keyOf, children, selected, onSelect, filters } = props;
  return (
    <div className="list">
      <div className={`list ${classes.filters}`}>{filters}</div>
      <Loaded query={pages}>
        {() =>
          rows.length === 0 ? (
            <p className={classes.none}>{text.none}</p>
          ) : (
            <RowList label={text.title} rows={rows} keyOf={keyOf} selected={selected} onSelect={onSelect}>
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
