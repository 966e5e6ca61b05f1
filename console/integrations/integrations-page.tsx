import { Link } from '@tanstack/react-router';
import { Cable } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import base from '../ui/base.module.css';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { AddButton, ListPage } from '../ui/list-page/list-page.tsx';
import { SearchedTable } from '../ui/list-page/list-tables.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import type { Column } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { IntegrationState } from './integration-state.tsx';
import { newValues } from './integration-values.ts';
import classes from './integrations.module.css';
import { NewIntegrationForm } from './integration-fields.tsx';
import { type Integration, type IntegrationKind, useIntegrations, useKinds } from './queries.ts';
import { type IntegrationsText, useIntegrationsText } from './text.ts';

/** The credentials of the organization for other services. */
export function IntegrationsPage(): ReactNode {
  const text = useIntegrationsText();
  const [integrations, refusal] = [useIntegrations(), useRefusal('integrations.manage')];
  const [isAdding, setIsAdding] = useState(false);
  return (
    <ListPage
      title={text.title}
      lead={text.lead}
      query={integrations}
      empty={{ icon: <Cable />, title: text.empty, why: text.emptyWhy }}
      add={<AddButton label={text.add} reason={refusal} onClick={() => setIsAdding(true)} />}
      dialogs={
        <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add} description={text.addLead}>
          <NewIntegration />
        </Dialog>
      }
    >
      {({ items }) => <IntegrationList integrations={items} />}
    </ListPage>
  );
}

/** From how many integrations on one looks for one by its name. */
const MANY = 8;

function IntegrationList({ integrations }: { readonly integrations: readonly Integration[] }): ReactNode {
  const [text, orgId] = [useIntegrationsText(), useOrgId()];
  const { data: kinds = [] } = useKinds();
  const nameOf = (key: string) => kinds.find(({ kind }) => kind === key)?.name ?? key;
  return (
    <SearchedTable
      label={text.title}
      searchLabel={text.filter}
      searchedFrom={MANY}
      columns={columnsOf(text, orgId, nameOf)}
      rows={integrations}
      keyOf={({ id }) => id}
      wordsOf={({ name, kind, api_url: url }) => [name, nameOf(kind), url]}
      none={text.none}
    />
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
          <div className={classes.fields}>
            <ChoiceField
              label={text.kind}
              name="kind"
              placeholder={text.kindHint}
              hint={kind?.description}
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
        <span className={base.column}>
          <Link to="/o/$orgId/integrations/$integrationId" params={{ orgId, integrationId: id }}>
            {showInvisible(name)}
          </Link>
          <span className={classes.soft}>{showInvisible(url)}</span>
        </span>
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
