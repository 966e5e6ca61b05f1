import { useNavigate, useSearch } from '@tanstack/react-router';
import { BookOpen, Plus, Upload } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatBytes } from '../core/text/formats.ts';
import { useText } from '../core/text/text-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { DropZone, FileButton } from '../ui/files/files.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { type Column, Empty, Loaded, Page, Pager, Table } from '../ui/page/page.tsx';
import { type ActiveFilter, FilterChips } from '../ui/page/filter-chips.tsx';
import { RecordName } from '../ui/list-page/list-page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { AddDialog } from './add-dialog.tsx';
import classes from './definitions.module.css';
import {
  type Definition,
  type DefinitionKind,
  PERSONAS,
  SKILLS,
  TOOLS,
  useDefinitionActions,
  useDefinitions,
} from './queries.ts';
import { StateBadges } from './state-badges.tsx';
import { type DefinitionsText, useDefinitionsText } from './text.ts';

/** The skills that agents can be given. */
export function SkillsPage(): ReactNode {
  return <DefinitionsPage kind={SKILLS} />;
}

/** The personas that can stand before the prompt of an agent. */
export function PersonasPage(): ReactNode {
  return <DefinitionsPage kind={PERSONAS} />;
}

/** The tools that agents can be given. */
export function ToolsPage(): ReactNode {
  return <DefinitionsPage kind={TOOLS} />;
}

/** What agents can be given of one kind. */
function DefinitionsPage({ kind }: { readonly kind: DefinitionKind }): ReactNode {
  const text = useDefinitionsText();
  const words = text.kinds[kind.key];
  const [definitions, refusal] = [useDefinitions(kind), useRefusal(kind.manage)];
  const [isAdding, setIsAdding] = useState(false);
  const [archive, setArchive] = useState<File>();
  const take = (files: readonly File[]) => setArchive(files[0]);
  const add = (
    <Button icon={Plus} variant="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      {words.add}
    </Button>
  );
  const bring = (
    <FileButton icon={Upload} label={text.import} accept=".zip,application/zip" reason={refusal} onFiles={take}>
      {text.import}
    </FileButton>
  );
  return (
    <DropZone label={words.title} hint={text.drop} onFiles={refusal === undefined ? take : undefined}>
      <Page
        title={words.title}
        lead={words.lead}
        actions={
          <>
            {add}
            {bring}
          </>
        }
      >
        <Loaded query={definitions}>
          {({ items, total }) =>
            items.length === 0 ? (
              <Empty icon={<BookOpen />} title={words.empty} action={add}>
                {words.lead}
              </Empty>
            ) : (
              <>
                <DefinitionList kind={kind} definitions={items} total={total} />
                <Pager pages={definitions} />
              </>
            )
          }
        </Loaded>
        <AddDialog kind={kind} open={isAdding} onClose={() => setIsAdding(false)} />
        <ImportDialog kind={kind} archive={archive} onClose={() => setArchive(undefined)} />
      </Page>
    </DropZone>
  );
}

const ArchivePreview = lazy(async () => ({
  default: (await import('./archive-preview.tsx')).ArchivePreview,
}));

interface ImportDialogProps {
  readonly kind: DefinitionKind;
  /** What was chosen or dropped; the dialog is open while there is one. */
  readonly archive: File | undefined;
  readonly onClose: () => void;
}

/** Adds one of a kind from a ZIP archive, under its own key or another one. */
function ImportDialog({ kind, archive, onClose }: ImportDialogProps): ReactNode {
  const text = useDefinitionsText();
  return (
    <Dialog
      open={archive !== undefined}
      onClose={onClose}
      title={text.kinds[kind.key].import}
      description={archive && text.importLead(showInvisible(archive.name), formatBytes(archive.size))}
    >
      {archive !== undefined && <ImportForm kind={kind} archive={archive} onClose={onClose} />}
    </Dialog>
  );
}

function ImportForm({ kind, archive, onClose }: ImportDialogProps & { readonly archive: File }): ReactNode {
  const text = useDefinitionsText();
  const [orgId, navigate, toast] = [useOrgId(), useNavigate(), useToast()];
  const actions = useDefinitionActions(kind);
  const [key, setKey] = useState('');
  return (
    <Form
      submitLabel={text.import}
      describe={({ status, message }) => (status === 409 ? text.keyTaken(message) : undefined)}
      onSubmit={async () => {
        const { id, name } = await actions.upload(archive, key.trim() === '' ? undefined : key.trim());
        toast(text.added(showInvisible(name)));
        onClose();
        await navigate({ to: kind.page, params: { orgId, definitionId: id } });
      }}
    >
      <Field
        label={text.otherKey}
        name="key"
        hint={text.otherKeyHint}
        maxLength={100}
        autoComplete="off"
        value={key}
        onValueChange={setKey}
      />
      <Suspense>
        <ArchivePreview kind={kind} archive={archive} otherKey={key.trim()} />
      </Suspense>
    </Form>
  );
}

interface ListProps {
  readonly kind: DefinitionKind;
  readonly definitions: readonly Definition[];
  readonly total: number;
}

interface Wanted {
  readonly q?: string;
  readonly category?: string;
  readonly from?: 'own' | 'builtin';
}

function DefinitionList({ kind, definitions, total }: ListProps): ReactNode {
  const [text, common] = [useDefinitionsText(), useText().common];
  const [orgId, navigate] = [useOrgId(), useNavigate()];
  const wanted: Wanted = useSearch({ strict: false });
  const { q = '' } = wanted;
  const narrow = (search: Wanted) => void navigate({ to: '.', search, replace: true });
  const shown = definitions.filter((definition) => isWanted(definition, wanted));
  const { active, more } = filtersOf(text, { definitions, wanted, narrow });
  return (
    <>
      <div className={classes.filters}>
        <SearchField
          label={text.filter}
          value={q}
          status={shown.length === total ? undefined : common.of(shown.length, total)}
          onChange={(typed) => narrow(without(wanted, 'q', typed === '' ? {} : { q: typed }))}
        />
        <FilterChips active={active} more={more} onClear={() => narrow(q === '' ? {} : { q })} />
      </div>
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table
          label={text.kinds[kind.key].title}
          columns={columnsOf(text, kind, orgId)}
          rows={shown}
          keyOf={({ id }) => id}
        />
      )}
    </>
  );
}

function isWanted({ key, name, description, category, origin }: Definition, wanted: Wanted): boolean {
  const words = (wanted.q ?? '').toLowerCase();
  if (wanted.category !== undefined && category !== wanted.category) return false;
  if (wanted.from !== undefined && (origin === 'builtin') !== (wanted.from === 'builtin')) return false;
  return `${key}\n${name}\n${description}`.toLowerCase().includes(words);
}

function without(wanted: Wanted, key: keyof Wanted, instead: Wanted = {}): Wanted {
  const { [key]: _gone, ...rest } = wanted;
  return { ...rest, ...instead };
}

interface Filtering {
  readonly definitions: readonly Definition[];
  readonly wanted: Wanted;
  readonly narrow: (wanted: Wanted) => void;
}

function filtersOf(text: DefinitionsText, { definitions, wanted, narrow }: Filtering) {
  const { from, category } = wanted;
  const active: ActiveFilter[] = [];
  if (from !== undefined)
    active.push({ key: 'from', label: text.from[from], onRemove: () => narrow(without(wanted, 'from')) });
  if (category !== undefined)
    active.push({
      key: 'category',
      label: text.categoryIs(showInvisible(category)),
      onRemove: () => narrow(without(wanted, 'category')),
    });
  const categories = [...new Set(definitions.flatMap((each) => each.category ?? []))].toSorted();
  const origins = (['own', 'builtin'] as const).map((each, at) => ({
    key: each,
    label: text.from[each],
    ...(at === 0 && { heading: text.origin }),
    run: () => narrow({ ...wanted, from: each }),
  }));
  const kinds = categories.map((each, at) => ({
    key: `category.${each}`,
    label: each,
    ...(at === 0 && { heading: text.category }),
    run: () => narrow({ ...wanted, category: each }),
  }));
  const more = [...(from === undefined ? origins : []), ...(category === undefined ? kinds : [])];
  return { active, more };
}

function columnsOf(text: DefinitionsText, kind: DefinitionKind, orgId: string): readonly Column<Definition>[] {
  const all: readonly Column<Definition>[] = [
    {
      key: 'name',
      title: text.name,
      cell: ({ id, name, description }) => (
        <RecordName to={kind.page} params={{ orgId, definitionId: id }} name={name} note={description} isShort />
      ),
    },
    {
      key: 'key',
      title: text.key,
      cell: ({ key }) => <code className="small wrap-anywhere">{showInvisible(key)}</code>,
    },
    { key: 'category', title: text.category, cell: ({ category = '' }) => category },
    { key: 'state', title: text.state, cell: (definition) => <StateBadges definition={definition} /> },
  ];
  return kind.key === 'personas' ? all.filter(({ key }) => key !== 'category') : all;
}
