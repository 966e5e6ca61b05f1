import { createLink } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Button, buttonClass } from '../controls/button.tsx';
import { Empty } from '../page/empty.tsx';
import { Loaded, type Reading } from '../page/loaded.tsx';
import { Page } from '../page/page.tsx';

/** What a list answers: its rows, or those that were read of it. */
type Rows<T> = readonly T[] | { readonly items: readonly T[] };

interface ListPageProps<T, Data extends Rows<T>> {
  readonly title: string;
  readonly lead?: string;
  readonly query: Reading<Data>;
  /** What stands in the place of the list while there is nothing to list: a picture, that, and what it is for. */
  readonly empty: { readonly icon: ReactNode; readonly title: string; readonly why: string };
  /** Whether the list was asked for narrowed: then none of it may fit, and others be there. */
  readonly isNarrowed?: boolean;
  /** What adds a row: beside the title, or in the place of the list while that is empty. */
  readonly add: ReactNode;
  /** Shows the list, which has at least one row unless it was narrowed. */
  readonly children: (data: Data) => ReactNode;
  /** Dialogs of the page. */
  readonly dialogs?: ReactNode;
}

/** A page that lists records: read, empty, or not to be read, each with what leads on. */
export function ListPage<T, Data extends Rows<T>>(props: ListPageProps<T, Data>): ReactNode {
  const { title, lead, query, empty, isNarrowed = false, add, children, dialogs } = props;
  const hasSome = isNarrowed || (query.data !== undefined && rowsOf(query.data).length > 0);
  return (
    <Page title={title} lead={lead} actions={hasSome ? add : undefined}>
      <Loaded query={query}>
        {(data) =>
          !hasSome ? (
            <Empty icon={empty.icon} title={empty.title} action={add}>
              {empty.why}
            </Empty>
          ) : (
            children(data)
          )
        }
      </Loaded>
      {dialogs}
    </Page>
  );
}

function rowsOf<T>(data: Rows<T>): readonly T[] {
  return 'items' in data ? data.items : data;
}

interface AddButtonProps {
  /** Names what is added: "Add an agent". */
  readonly label: string;
  /** Why it cannot be added now, such as a missing right. */
  readonly reason: string | undefined;
  readonly onClick: () => void;
}

/** The button of a list that begins a new record. */
export function AddButton({ label, reason, onClick }: AddButtonProps): ReactNode {
  return (
    <Button look="primary" reason={reason} onClick={onClick}>
      <Plus aria-hidden />
      {label}
    </Button>
  );
}

interface AddAnchorProps extends Omit<ComponentProps<'a'>, 'children'> {
  readonly label: string;
  readonly reason: string | undefined;
}

/** Leads to the page on which a new record begins; a button that says why where that may not be. */
export const AddLink = createLink(function AddAnchor({ label, reason, ...rest }: AddAnchorProps) {
  if (reason !== undefined) return <AddButton label={label} reason={reason} onClick={() => undefined} />;
  return (
    <a {...rest} className={buttonClass('primary')}>
      <Plus aria-hidden />
      {label}
    </a>
  );
});
