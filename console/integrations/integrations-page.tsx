import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Cable, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { IntegrationState } from './integration-state.tsx';
import { newValues } from './integration-values.ts';
import classes from './integrations.module.css';
import { NewIntegrationForm } from './new-integration-form.tsx';
import { type Integration, type IntegrationKind, useIntegrations, useKinds } from './queries.ts';
import { type IntegrationsText, useIntegrationsText } from './text.ts';

/** The credentials of the organization for other services. */
export function IntegrationsPage(): ReactNode {
  const text = useIntegrationsText();
  const [integrations, refusal] = [useIntegrations(), useRefusal('integrations.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = integrations.data !== undefined && integrations.data.items.length > 0;
  return (
    <Page title={text.title} lead={text.lead} actions={hasSome ? add : undefined}>
      <Loaded query={integrations}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<Cable />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <IntegrationList integrations={items} />
          )
        }
      </Loaded>
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add} description={text.addLead}>
        <NewIntegration />
      </Dialog>
    </Page>
  );
}

/** From how many integrations on one looks for one by its name. */
const MANY = 8;

function IntegrationList({ integrations }: { readonly integrations: readonly Integration[] }): ReactNode {
  const [text, common] = [useIntegrationsText(), useText().common];
  const [orgId, navigate] = [useOrgId(), useNavigate({ from: '/o/$orgId/integrations' })];
  const { q = '' } = useSearch({ from: '/o/$orgId/integrations' });
  const { data: kinds = [] } = useKinds();
  const nameOf = (key: string) => kinds.find(({ kind }) => kind === key)?.name ?? key;
  const wanted = q.toLowerCase();
  const shown = integrations.filter(({ name, kind, api_url: url }) =>
    `${name}\n${nameOf(kind)}\n${url}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {(integrations.length >= MANY || q !== '') && (
        <SearchField
          label={text.filter}
          value={q}
          status={shown.length === integrations.length ? undefined : common.of(shown.length, integrations.length)}
          onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
        />
      )}
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columnsOf(text, orgId, nameOf)} rows={shown} keyOf={({ id }) => id} />
      )}
    </>
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
        <span className={classes.name}>
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
