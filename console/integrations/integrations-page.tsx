import { Cable } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { ListPage, RecordName, SearchedTable } from '../ui/list-page/list-page.tsx';
import { type Column, InlineCode, Loaded } from '../ui/page/page.tsx';
import { IntegrationState } from './integration-state.tsx';
import { newValues } from './integration-values.ts';
import { NewIntegrationForm } from './integration-fields.tsx';
import { type Integration, type IntegrationKind, useIntegrations, useKinds } from './queries.ts';
import { type IntegrationsText, useIntegrationsText } from './text.ts';

/** The credentials of the organization for other services. */
export function IntegrationsPage(): ReactNode {
  const [text, orgId] = [useIntegrationsText(), useOrgId()];
  const { data: kinds = [] } = useKinds();
  const nameOf = (key: string) => kinds.find(({ kind }) => kind === key)?.name ?? key;
  return (
    <ListPage
      text={text}
      icon={<Cable />}
      query={useIntegrations()}
      add={{ right: 'integrations.manage', form: NewIntegration }}
    >
      {({ items }) => (
        <SearchedTable
          text={text}
          columns={columnsOf(text, orgId, nameOf)}
          rows={items}
          wordsOf={({ name, kind, api_url: url }) => [name, nameOf(kind), url]}
          isShortUnsearched
        />
      )}
    </ListPage>
  );
}

function NewIntegration(): ReactNode {
  const text = useIntegrationsText();
  const kinds = useKinds();
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <Loaded query={kinds}>
      {(all) => {
        const kind = all.find((each) => each.kind === chosen);
        return (
          <div className="stack form">
            <ChoiceField
              label={text.kind}
              name="kind"
              placeholder={text.kindHint}
              hint={kind && <InlineCode text={kind.description} />}
              choices={all.map((each) => ({ value: each.kind, label: each.name }))}
              value={chosen}
              onValueChange={setChosen}
            />
            {kind !== undefined && <NewOfKind key={kind.kind} kind={kind} />}
          </div>
        );
      }}
    </Loaded>
  );
}

function NewOfKind({ kind }: { readonly kind: IntegrationKind }): ReactNode {
  const [begun] = useState(() => newValues(kind));
  return <NewIntegrationForm draftKey={`integration.new.${kind.kind}`} kind={kind} begun={begun} />;
}

function columnsOf(
  text: IntegrationsText,
  orgId: string,
  nameOf: (kind: string) => string,
): readonly Column<Integration>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: ({ id, name, api_url: url }) => (
        <RecordName
          to="/o/$orgId/integrations/$integrationId"
          params={{ orgId, integrationId: id }}
          name={name}
          note={url}
        />
      ),
    },
    { key: 'kind', title: text.kind, cell: ({ kind }) => nameOf(kind) },
    { key: 'state', title: text.state, cell: ({ status }) => <IntegrationState status={status} /> },
    {
      key: 'used',
      title: text.used,
      isNumber: true,
      cell: ({ used_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
  ];
}
