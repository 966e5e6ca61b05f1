import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOwnPermissions } from '../core/permissions.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { DeletedList } from './deleted-list.tsx';
import { type Kind, KINDS, NEEDED } from './kinds.ts';
import { useTrashText } from './text.ts';

/** What was deleted and can be restored: a tab for each kind of which the user may restore any. */
export function TrashPage(): ReactNode {
  const text = useTrashText();
  const { of } = useSearch({ from: '/o/$orgId/trash' });
  const navigate = useNavigate({ from: '/o/$orgId/trash' });
  const own = useOwnPermissions();
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={own}>
        {({ permissions }) => (
          <Tabs<Kind>
            label={text.kinds}
            value={of}
            onValueChange={(kind) => void navigate({ search: kind === 'chats' ? {} : { of: kind }, replace: true })}
            tabs={KINDS.filter((kind) => kind === 'chats' || permissions.includes(NEEDED[kind])).map((kind) => ({
              value: kind,
              label: text[kind],
              content: <DeletedList kind={kind} />,
            }))}
          />
        )}
      </Loaded>
    </Page>
  );
}
