import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { UsingAgents } from '../agents/index.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { DangerSection } from '../ui/overlays/danger-section.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Facts } from '../ui/page/facts.tsx';
import { showInvisible } from '../ui/visible.ts';
import { BaseFields, type BaseValues } from './base-fields.tsx';
import { EmbeddingBadge } from './embedding-badge.tsx';
import classes from './knowledge.module.css';
import { type KnowledgeBase, useKnowledgeActions } from './queries.ts';
import { useKnowledgeText } from './text.ts';

/** Changes a knowledge base, says what its search by meaning has used, and deletes it. */
export function SettingsTab({ base }: { readonly base: KnowledgeBase }): ReactNode {
  const text = useKnowledgeText();
  const [toast, actions, refusal] = [useToast(), useKnowledgeActions(), useRefusal('knowledge_bases.manage')];
  const { id, name, description, embedding_model: model, embedding } = base;
  const stored = useMemo<BaseValues>(() => ({ name, description, embedding_model: model }), [name, description, model]);
  return (
    <div className={classes.parts}>
      <RecordForm
        draftKey={`knowledge-base.${id}`}
        stored={stored}
        submitLabel={text.settings.save}
        reason={refusal}
        onSubmit={async ({ changes, values }) => {
          await actions.change(id, changes);
          toast(text.settings.saved(showInvisible(values.name)));
        }}
      >
        {({ field, values }) => (
          <>
            <BaseFields field={field} />
            {values.embedding_model !== model && <p className={classes.soft}>{text.settings.remodel}</p>}
          </>
        )}
      </RecordForm>
      <Facts
        facts={[
          { label: text.meaning, value: <EmbeddingBadge base={base} /> },
          { label: text.settings.model, value: embedding.model ?? text.settings.noModel },
          { label: text.settings.used, value: text.settings.usedOf(embedding.tokens, embedding.cost) },
        ]}
      />
      <UsingAgents uses={{ knowledge_base_id: id }} />
      <RemoveBase base={base} reason={refusal} />
    </div>
  );
}

interface RemoveBaseProps {
  readonly base: KnowledgeBase;
  /** Why it cannot be deleted; undefined when it can. */
  readonly reason: string | undefined;
}

function RemoveBase({ base, reason }: RemoveBaseProps): ReactNode {
  const text = useKnowledgeText().settings;
  const [toast, actions] = [useToast(), useKnowledgeActions()];
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const name = showInvisible(base.name);
  return (
    <DangerSection
      title={text.removeTitle}
      why={text.removeWhy}
      action={text.remove}
      question={text.removeAsk(name)}
      reason={reason}
      typedName={base.name}
      onConfirm={async () => {
        await actions.remove(base.id);
        toast(text.removed(name));
        // What was not saved of it has nowhere to be saved.
        await navigate({ to: '/o/$orgId/knowledge-bases', params: { orgId }, ignoreBlocker: true });
      }}
    />
  );
}
