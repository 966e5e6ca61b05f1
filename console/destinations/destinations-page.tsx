import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { SelectField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { ListPage, RecordName, SearchedTable } from '../ui/list-page/list-page.tsx';
import { Badge, type Column } from '../ui/page/page.tsx';
import { bodyOf, DESTINATION_JSON, DestinationFields, INTEGRATION_OF, NEW_DESTINATION } from './destination-fields.tsx';
import { type Destination, type DestinationKind, useDestinationActions, useDestinations } from './queries.ts';
import { type DestinationsText, useDestinationsText } from './text.ts';

/** Where the organization has reports delivered. */
export function DestinationsPage(): ReactNode {
  const [text, orgId] = [useDestinationsText(), useOrgId()];
  return (
    <ListPage
      text={text}
      icon={<Send />}
      query={useDestinations()}
      add={{ right: 'integrations.manage', form: NewDestinationForm }}
    >
      {({ items }) => (
        <SearchedTable
          text={text}
          columns={columnsOf(text, orgId)}
          rows={items}
          wordsOf={({ name, kind }) => [name, text.kinds[kind]]}
          isShortUnsearched
        />
      )}
    </ListPage>
  );
}

function columnsOf(text: DestinationsText, orgId: string): readonly Column<Destination>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: ({ id, name }) => (
        <RecordName to="/o/$orgId/destinations/$destinationId" params={{ orgId, destinationId: id }} name={name} />
      ),
    },
    { key: 'kind', title: text.kind, cell: ({ kind }) => text.kinds[kind] },
    {
      key: 'state',
      title: text.state,
      cell: ({ is_active: isActive }) => (
        <Badge tone={isActive ? 'good' : 'warn'}>{isActive ? text.active : text.paused}</Badge>
      ),
    },
  ];
}

const KINDS = Object.keys(INTEGRATION_OF) as DestinationKind[];

function NewDestinationForm(): ReactNode {
  const text = useDestinationsText();
  const [actions, show] = [useDestinationActions(), useShowAdded('/o/$orgId/destinations/$destinationId')];
  const [kind, setKind] = useState<DestinationKind>('email');
  return (
    <div className="stack">
      <SelectField
        label={text.kind}
        name="kind"
        options={KINDS.map((each) => ({ value: each, label: text.kinds[each] }))}
        value={kind}
        onValueChange={setKind}
      />
      <RecordForm
        key={kind}
        draftKey={`destination.new.${kind}`}
        stored={NEW_DESTINATION}
        isNew
        secrets={['url', 'secret']}
        json={DESTINATION_JSON}
        submitLabel={text.create}
        onSubmit={async ({ values }) => show(await actions.add({ ...bodyOf(values), kind }))}
      >
        {(record) => <DestinationFields record={record} kind={kind} hasSecret={false} />}
      </RecordForm>
    </div>
  );
}
