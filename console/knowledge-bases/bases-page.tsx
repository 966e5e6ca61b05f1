import { Link } from '@tanstack/react-router';
import { LibraryBig } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { RecordForm } from '../ui/form/record-form.tsx';
import { ListPage, SearchedTable } from '../ui/list-page/list-page.tsx';
import { type Column, Pager } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { BaseFields, type BaseValues, EmbeddingBadge } from './base-fields.tsx';
import classes from './knowledge.module.css';
import { type KnowledgeBase, useKnowledgeActions, useKnowledgeBases } from './queries.ts';
import { type KnowledgeText, useKnowledgeText } from './text.ts';

const NEW: BaseValues = { name: '', description: '', embedding_model: 'auto' };

/** The knowledge bases of the organization. */
export function KnowledgeBasesPage(): ReactNode {
  const [text, orgId, bases] = [useKnowledgeText(), useOrgId(), useKnowledgeBases()];
  return (
    <ListPage text={text} icon={<LibraryBig />} query={bases} add={{ right: 'knowledge_bases.manage', form: NewBase }}>
      {({ items, total }) => (
        <>
          <SearchedTable
            text={text}
            columns={columnsOf(text, orgId)}
            rows={items}
            total={total}
            wordsOf={({ name, description }) => [name, description]}
          />
          <Pager pages={bases} />
        </>
      )}
    </ListPage>
  );
}

function NewBase({ onDone }: { readonly onDone: () => void }): ReactNode {
  const [text, actions, reason] = [useKnowledgeText(), useKnowledgeActions(), useRefusal('knowledge_bases.manage')];
  const show = useShowAdded('/o/$orgId/knowledge-bases/$baseId', text.added);
  return (
    <RecordForm
      draftKey="knowledge-base.new"
      stored={NEW}
      isNew
      submitLabel={text.add}
      reason={reason}
      onSubmit={async ({ values }) => {
        const added = await actions.add(values);
        onDone();
        await show(added);
      }}
    >
      {({ field }) => <BaseFields field={field} />}
    </RecordForm>
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
          {description !== '' && <span className="soft font-normal line-clamp-2">{showInvisible(description)}</span>}
        </span>
      ),
    },
    { key: 'content', title: text.content, cell: ({ documents, bytes }) => text.contentOf(documents, bytes) },
    { key: 'meaning', title: text.meaning, cell: (base) => <EmbeddingBadge base={base} /> },
    { key: 'changed', title: text.changed, isNumber: true, cell: ({ updated_at: at }) => timeFromNow(at) },
  ];
}
