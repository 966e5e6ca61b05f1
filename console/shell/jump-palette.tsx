import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { useShortcut } from '../core/shortcuts.ts';
import { useText } from '../core/text/text-context.tsx';
import type { NavigationEntry } from './navigation/entries.ts';
import { useNavigation } from './navigation/use-navigation.ts';

const OpenedPalette = lazy(async () => ({ default: (await import('./opened-palette.tsx')).OpenedPalette }));

interface JumpPaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Leads to any page and does what the page and the shell can do. Pages have keys as well. */
export function JumpPalette({ open, onClose, onHelp }: JumpPaletteProps) {
  const text = useText().nav;
  const navigate = useNavigate();
  const orgId = useOrgId();
  const entries = useNavigation().flatMap((group) => group.entries);
  const lead = (to: '/o/$orgId/chats' | '/o/$orgId/search') => () => void navigate({ to, params: { orgId } });
  useShortcut('c', text.newChat, lead('/o/$orgId/chats'), { isGeneral: true });
  useShortcut('/', text.search, lead('/o/$orgId/search'), { isGeneral: true });
  return (
    <>
      {entries.map(
        ({ to, label, keys }) => keys !== undefined && <PageKeys key={to} to={to} label={label} keys={keys} />,
      )}
      {open && (
        <Suspense>
          <OpenedPalette onClose={onClose} onHelp={onHelp} />
        </Suspense>
      )}
    </>
  );
}

interface PageKeysProps extends Pick<NavigationEntry, 'to' | 'label'> {
  readonly keys: string;
}

function PageKeys({ to, label, keys }: PageKeysProps) {
  const text = useText();
  const navigate = useNavigate();
  const orgId = useOrgId();
  useShortcut(keys, text.nav.go(label(text)), () => void navigate({ to, params: { orgId } }), { isGeneral: true });
  return null;
}
