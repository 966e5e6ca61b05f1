import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { BackLink } from '../ui/controls/button.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { InlineCode, Loaded, Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { DefinitionActions } from './definition-actions.tsx';
import classes from './definitions.module.css';
import {
  CATEGORIES,
  type Definition,
  type DefinitionKind,
  PERSONAS,
  SKILLS,
  TOOLS,
  useChangeRefusal,
  useDefinition,
  useDefinitionActions,
} from './queries.ts';
import { FilesPanel } from './files/files-panel.tsx';
import { PersonaForm, ShownPersona } from './persona-form.tsx';
import { StateBadges, whyNotGiven } from './state-badges.tsx';
import { useDefinitionsText } from './text.ts';
import { TestRun } from './test-run.tsx';

/** One skill with its files. */
export function SkillPage(): ReactNode {
  return <DefinitionPage kind={SKILLS} />;
}

/** One persona. */
export function PersonaPage(): ReactNode {
  return <DefinitionPage kind={PERSONAS} />;
}

/** One tool with its files. */
export function ToolPage(): ReactNode {
  return <DefinitionPage kind={TOOLS} />;
}

interface DefinitionProps {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
}

/** One of a kind: its files, its record, and what can be done with it. What ships with the service is only shown. */
function DefinitionPage({ kind }: { readonly kind: DefinitionKind }): ReactNode {
  const { definitionId = '' } = useParams({ strict: false });
  const definition = useDefinition(kind, definitionId);
  return (
    <Loaded query={definition}>
      {(record) => <OpenDefinition key={definitionId} kind={kind} definition={record} />}
    </Loaded>
  );
}

function OpenDefinition({ kind, definition }: DefinitionProps): ReactNode {
  const text = useDefinitionsText();
  const orgId = useOrgId();
  const { key, name, description } = definition;
  const why = whyNotGiven(definition);
  return (
    <Page
      title={showInvisible(name)}
      back={<BackLink to={kind.list} params={{ orgId }} label={text.kinds[kind.key].title} />}
      lead={description === '' ? undefined : <InlineCode text={showInvisible(description)} />}
      actions={<DefinitionActions kind={kind} definition={definition} />}
    >
      <div className="row soft mb-4">
        <code className="small wrap-anywhere">{key}</code>
        <StateBadges definition={definition} />
        {why !== null && <span className="danger">{showInvisible(why)}</span>}
      </div>
      {kind.key === 'personas' ? <Persona definition={definition} /> : <Parts kind={kind} definition={definition} />}
    </Page>
  );
}

function Persona({ definition }: { readonly definition: Definition }): ReactNode {
  if (definition.origin === 'builtin') return <ShownPersona persona={definition} />;
  return <PersonaForm persona={definition} />;
}

function Parts({ kind, definition }: DefinitionProps): ReactNode {
  const text = useDefinitionsText();
  const navigate = useNavigate();
  const { tab } = useSearch({ strict: false });
  const isBuiltin = definition.origin === 'builtin';
  const files = <FilesPanel kind={kind} definition={definition} />;
  if (isBuiltin && kind.key !== 'tools') return files;
  const details = <DetailsForm kind={kind} definition={definition} />;
  const tabs = [
    { value: 'files', label: text.files, content: files, isThere: true },
    { value: 'details', label: text.details, content: details, isThere: !isBuiltin },
    { value: 'try', label: text.testRun.tab, content: <TestRun tool={definition} />, isThere: kind.key === 'tools' },
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

interface DetailsFormProps {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
}

/** Changes the record of a skill or tool; what its main file says of it is changed with it. */
function DetailsForm({ kind, definition }: DetailsFormProps): ReactNode {
  const text = useDefinitionsText();
  const [refusal, actions] = [useChangeRefusal(kind, definition), useDefinitionActions(kind)];
  const stored = useMemo(() => {
    const { key, name, description, category = '', version } = definition;
    return { key, name, description, category, version };
  }, [definition]);
  return (
    <RecordForm
      draftKey={`definition.${definition.id}`}
      stored={stored}
      reason={refusal}
      onReload={() => void actions.read()}
      done={text.saved}
      onSubmit={async ({ changes, overwrite }) =>
        actions.change(definition.id, changes, overwrite ? undefined : definition.updated_at)
      }
    >
      {({ field }) => (
        <div className="stack form py-4">
          <p className="measure soft">{text.detailsLead(kind.mainFile ?? '')}</p>
          <div className={classes.row}>
            <Field label={text.name} required maxLength={200} {...field('name')} />
            <Field label={text.key} hint={text.keyHint} required maxLength={64} {...field('key')} />
          </div>
          <TextAreaField
            label={text.description}
            hint={text.descriptionHint}
            maxLength={5_000}
            {...field('description')}
          />
          <div className={classes.row}>
            <SelectField
              label={text.category}
              options={CATEGORIES[kind.key].map((each) => ({ value: each, label: each }))}
              {...field('category')}
            />
            <Field label={text.version} required maxLength={50} {...field('version')} />
          </div>
        </div>
      )}
    </RecordForm>
  );
}
