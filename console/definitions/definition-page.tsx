import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { BackLink } from '../ui/controls/back-link.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { DefinitionActions } from './actions/definition-actions.tsx';
import classes from './definitions.module.css';
import { DetailsForm } from './details/details-form.tsx';
import { PersonaForm } from './details/persona-form.tsx';
import { ShownPersona } from './details/shown-persona.tsx';
import type { Family } from './families.ts';
import { FilesPanel } from './files/files-panel.tsx';
import { type Definition, useDefinition } from './queries.ts';
import { StateBadges, whyNotGiven } from './state-badges.tsx';
import { useDefinitionsText } from './text.ts';
import { Trial } from './trial/trial.tsx';

interface DefinitionProps {
  readonly family: Family;
  readonly definition: Definition;
}

/** One of a kind: its files, its record, and what can be done with it. What ships with the service is only shown. */
export function DefinitionPage({ family }: { readonly family: Family }): ReactNode {
  const { definitionId = '' } = useParams({ strict: false });
  const definition = useDefinition(family, definitionId);
  return (
    <Loaded query={definition}>
      {(record) => <OpenDefinition key={definitionId} family={family} definition={record} />}
    </Loaded>
  );
}

function OpenDefinition({ family, definition }: DefinitionProps): ReactNode {
  const text = useDefinitionsText();
  const orgId = useOrgId();
  const { key, name, description } = definition;
  const why = whyNotGiven(definition);
  return (
    <Page
      title={showInvisible(name)}
      back={
        <BackLink to={family.list} params={{ orgId }}>
          {text.kinds[family.key].title}
        </BackLink>
      }
      lead={description === '' ? undefined : showInvisible(description)}
      actions={<DefinitionActions family={family} definition={definition} />}
    >
      <div className={classes.note}>
        <code className={classes.key}>{key}</code>
        <StateBadges definition={definition} />
        {why !== null && <span className={classes.problem}>{showInvisible(why)}</span>}
      </div>
      {family.key === 'personas' ? (
        <Persona definition={definition} />
      ) : (
        <Parts family={family} definition={definition} />
      )}
    </Page>
  );
}

function Persona({ definition }: { readonly definition: Definition }): ReactNode {
  if (definition.origin === 'builtin') return <ShownPersona persona={definition} />;
  return <PersonaForm persona={definition} />;
}

function Parts({ family, definition }: DefinitionProps): ReactNode {
  const text = useDefinitionsText();
  const navigate = useNavigate();
  const { tab } = useSearch({ strict: false });
  const isBuiltin = definition.origin === 'builtin';
  const files = <FilesPanel family={family} definition={definition} />;
  if (isBuiltin && family.key !== 'tools') return files;
  const details = <DetailsForm family={family} definition={definition} />;
  const tabs = [
    { value: 'files', label: text.files, content: files, isThere: true },
    { value: 'details', label: text.details, content: details, isThere: !isBuiltin },
    { value: 'try', label: text.trial.tab, content: <Trial tool={definition} />, isThere: family.key === 'tools' },
  ];
  return (
    <Tabs
      label={text.parts}
      tabs={tabs.filter(({ isThere }) => isThere)}
      value={tab}
      onValueChange={(chosen) => void navigate({ to: '.', search: { tab: chosen }, replace: true })}
    />
  );
}
