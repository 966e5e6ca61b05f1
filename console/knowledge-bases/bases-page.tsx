import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { LibraryBig, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Pages } from '../core/http/use-pages.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { BaseFields, type BaseValues } from './base-fields.tsx';
import { EmbeddingBadge } from './embedding-badge.tsx';
import classes from './knowledge.module.css';
import { type KnowledgeBase, useKnowledgeActions, useKnowledgeBases } from './queries.ts';
import { type KnowledgeText, useKnowledgeText } from './text.ts';

const NEW: BaseValues = { name: '', description: '', embedding_model: 'auto' };

/** The knowledge bases of the organization. */
export function KnowledgeBasesPage(): ReactNode {
  const text = useKnowledgeText();
  const [bases, refusal] = [useKnowledgeBases(), useRefusal('knowledge_bases.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = bases.data !== undefined && bases.data.items.length > 0;
  return (
    <Page title={text.title} lead={text.lead} actions={hasSome ? add : undefined}>
      <Loaded query={bases}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<LibraryBig />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <BaseList pages={bases} bases={items} />
          )
        }
      </Loaded>
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add}>
        <NewBase reason={refusal} onDone={() => setIsAdding(false)} />
      </Dialog>
    </Page>
  );
}

interface NewBaseProps {
  readonly reason: string | undefined;
  readonly onDone: () => void;
}

function NewBase({ reason, onDone }: NewBaseProps): ReactNode {
  const [text, toast, orgId, actions] = [useKnowledgeText(), useToast(), useOrgId(), useKnowledgeActions()];
  const navigate = useNavigate();
  return (
    <RecordForm
      draftKey="knowledge-base.new"
      stored={NEW}
      isNew
      submitLabel={text.add}
      reason={reason}
      onSubmit={async ({ values }) => {
        const { id, name } = await actions.add(values);
        onDone();
        toast(text.added(showInvisible(name)));
        await navigate({ to: '/o/$orgId/knowledge-bases/$baseId', params: { orgId, baseId: id } });
      }}
    >
      {({ field }) => <BaseFields field={field} />}
    </RecordForm>
  );
}

interface BaseListProps {
  readonly pages: Pages<KnowledgeBase>;
  readonly bases: readonly KnowledgeBase[];
}

function BaseList({ pages, bases }: BaseListProps): ReactNode {
  const [text, common, orgId] = [useKnowledgeText(), useText().common, useOrgId()];
  const navigate = useNavigate({ from: '/o/$orgId/knowledge-bases' });
  const { q = '' } = useSearch({ from: '/o/$orgId/knowledge-bases' });
  const wanted = q.toLowerCase();
  const shown = bases.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted));
  return (
    <>
      <SearchField
        label={text.filter}
        value={q}
        status={shown.length === bases.length ? undefined : common.of(shown.length, bases.length)}
        onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
      />
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columnsOf(text, orgId)} rows={shown} keyOf={({ id }) => id} />
      )}
      <Pager pages={pages} />
    </>
  );
}

function columnsOf(text: KnowledgeText, orgId: string): readonly Column<KnowledgeBase>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: ({ id, name, description }) => (
        <span className={classes.name}>
          <Link to="/o/$orgId/knowledge-bases/$baseId" params={{ orgId, baseId: id }}>
            {showInvisible(name)}
          </Link>
          {description !== '' && (
            <span className={`${classes.soft} ${classes.clamped}`}>{showInvisible(description)}</span>
          )}
        </span>
      ),
    },
    { key: 'content', title: text.content, cell: ({ documents, bytes }) => text.contentOf(documents, bytes) },
    { key: 'meaning', title: text.meaning, cell: (base) => <EmbeddingBadge base={base} /> },
    { key: 'changed', title: text.changed, isNumber: true, cell: ({ updated_at: at }) => timeFromNow(at) },
  ];
}
