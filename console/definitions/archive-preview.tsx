import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { Badge, Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './definitions.module.css';
import { type Archive, type FileChange, fileChanges, keyIn, readArchive } from './archive.ts';
import { type Definition, type DefinitionKind, useDefinitionActions, useDefinitions } from './queries.ts';
import { useDefinitionsText } from './text.ts';

const TONES = { added: 'good', changed: 'warn', removed: 'danger', same: 'calm' } as const;

interface ArchivePreviewProps {
  readonly kind: DefinitionKind;
  readonly archive: File;
  /** The key that it is to have; '' for the one that it says. */
  readonly otherKey: string;
}

/** What an archive holds, and how that differs from what the organization has under its key. */
export function ArchivePreview({ kind, archive, otherKey }: ArchivePreviewProps): ReactNode {
  const [text, orgId] = [useDefinitionsText().archive, useOrgId()];
  const read = useQuery({
    queryKey: [orgId, kind.key, 'archive', archive.name, archive.size, archive.lastModified],
    queryFn: async () => readArchive(archive).catch(() => null),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={read}>
      {(content) =>
        // The server says what is wrong with it, with the place.
        content === null ? (
          <p className="soft">{text.unread}</p>
        ) : (
          <Shown kind={kind} content={content} stated={otherKey === '' ? keyIn(content, kind) : otherKey} />
        )
      }
    </Loaded>
  );
}

interface ShownProps {
  readonly kind: DefinitionKind;
  readonly content: Archive;
  readonly stated: string | undefined;
}

function Shown({ kind, content, stated }: ShownProps): ReactNode {
  const text = useDefinitionsText().archive;
  const definitions = useDefinitions(kind);
  return (
    <Loaded query={definitions}>
      {({ items }) => {
        const existing = items.find(({ key }) => key === stated);
        if (existing !== undefined) return <Differences kind={kind} content={content} existing={existing} />;
        const lead = stated === undefined ? text.unkeyed : text.isNew(showInvisible(stated));
        return <Changes lead={lead} changes={fileChanges(new Map(), content.files)} />;
      }}
    </Loaded>
  );
}

interface DifferencesProps extends Omit<ShownProps, 'stated'> {
  readonly existing: Definition;
}

function Differences({ kind, content, existing }: DifferencesProps): ReactNode {
  const [text, orgId, { download }] = [useDefinitionsText().archive, useOrgId(), useDefinitionActions(kind)];
  const { id, key, origin, updated_at: changedAt } = existing;
  const stored = useQuery({
    queryKey: [orgId, kind.key, 'archive', id, changedAt],
    queryFn: async () => readArchive(await download(id)),
  });
  const lead = origin === 'builtin' ? text.overrides(key) : text.taken(key);
  return (
    <Loaded query={stored}>{({ files }) => <Changes lead={lead} changes={fileChanges(files, content.files)} />}</Loaded>
  );
}

function Changes({ lead, changes }: { readonly lead: string; readonly changes: readonly FileChange[] }): ReactNode {
  const text = useDefinitionsText().archive;
  return (
    <section className="grid" aria-label={text.title}>
      <p className="soft">{lead}</p>
      <ul className={classes.files}>
        {changes.map(({ path, kind }) => (
          <li key={path}>
            <code>{showInvisible(path)}</code>
            <Badge tone={TONES[kind]}>{text.kinds[kind]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
