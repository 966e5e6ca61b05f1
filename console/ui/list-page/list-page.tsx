import { createLink } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ComponentProps, type ComponentType, type ReactNode, useState } from 'react';
import { type PermissionKey, useRefusal } from '../../core/permissions.ts';
import type { NewRecordPath } from '../../core/routing/org-paths.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button, buttonClass } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { Empty } from '../page/empty.tsx';
import { Loaded, type Reading } from '../page/loaded.tsx';
import { Page } from '../page/page.tsx';

/** What a list answers: its rows, or those that were read of it. */
type Rows<T> = readonly T[] | { readonly items: readonly T[] };

/** What a page says that lists records, under the names that the texts of capabilities have for it. */
interface ListTexts {
  readonly title: string;
  readonly lead?: string;
  /** Stands in place of the list while there is nothing to list: that, and what such records are for. */
  readonly empty: string;
  readonly emptyWhy: string;
  /** Names what adds a record: "Add an agent". */
  readonly add: string;
  /** Stands above the form that adds one. */
  readonly addLead?: string;
}

/** A record that is added by a form in a dialog. */
export interface AddByForm {
  /** The right to add a record. */
  readonly right: PermissionKey;
  /** The title of the dialog; that of the button unless given. */
  readonly title?: string;
  /** The form in the dialog, which is closed once the form is done. */
  readonly form: ComponentType<{ readonly onDone: () => void }>;
}

interface AddOnPage {
  readonly right: PermissionKey;
  /** The page on which a new record begins. */
  readonly to: NewRecordPath;
}

interface ListPageProps<T, Data extends Rows<T>> {
  readonly text: ListTexts;
  /** The picture of an empty list. */
  readonly icon: ReactNode;
  readonly query: Reading<Data>;
  /** Whether the list was asked for narrowed: then none of it may fit, and others be there. */
  readonly isNarrowed?: boolean;
  /** What adds a record: beside the title, or in place of the list while that is empty. */
  readonly add: AddByForm | AddOnPage;
  /** Shows the list, which has at least one row unless it was narrowed. */
  readonly children: (data: Data) => ReactNode;
}

/** A page that lists records: read, empty, or not to be read, each with what leads on. */
export function ListPage<T, Data extends Rows<T>>(props: ListPageProps<T, Data>): ReactNode {
  const { text, icon, query, isNarrowed = false, add, children } = props;
  const [orgId, reason] = [useOrgId(), useRefusal(add.right)];
  const [isAdding, setIsAdding] = useState(false);
  const close = () => setIsAdding(false);
  const hasSome = isNarrowed || (query.data !== undefined && rowsOf(query.data).length > 0);
  const button =
    'to' in add ? (
      <AddLink to={add.to} params={{ orgId }} label={text.add} reason={reason} />
    ) : (
      <AddButton label={text.add} reason={reason} onClick={() => setIsAdding(true)} />
    );
  return (
    <Page title={text.title} lead={text.lead} actions={hasSome ? button : undefined}>
      <Loaded query={query}>
        {(data) =>
          hasSome ? (
            children(data)
          ) : (
            <Empty icon={icon} title={text.empty} action={button}>
              {text.emptyWhy}
            </Empty>
          )
        }
      </Loaded>
      {'form' in add && (
        <Dialog open={isAdding} onClose={close} title={add.title ?? text.add} description={text.addLead}>
          <add.form onDone={close} />
        </Dialog>
      )}
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
    <Button icon={Plus} look="primary" reason={reason} onClick={onClick}>
      {label}
    </Button>
  );
}

interface AddAnchorProps extends Omit<ComponentProps<'a'>, 'children'> {
  readonly label: string;
  readonly reason: string | undefined;
}

/** Leads to the page on which a new record begins; a button that says why where that may not be. */
const AddLink = createLink(function AddAnchor({ label, reason, ...rest }: AddAnchorProps) {
  if (reason !== undefined) return <AddButton label={label} reason={reason} onClick={() => undefined} />;
  return (
    <a {...rest} className={buttonClass('primary')}>
      <Plus aria-hidden />
      {label}
    </a>
  );
});
