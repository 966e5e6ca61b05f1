import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Building2, Keyboard, LogOut, Sparkles } from 'lucide-react';
import { useCurrentUser } from '../core/session/current-user.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useShortcut } from '../core/shortcuts.ts';
import { useText } from '../core/text/text-context.tsx';
import type { PaletteItem } from '../ui/overlays/palette.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { NavigationEntry } from './navigation/entries.ts';
import { useNavigation } from './navigation/use-navigation.ts';
import { useSignOut } from './navigation/use-sign-out.ts';

const Palette = lazy(async () => ({ default: (await import('../ui/overlays/palette.tsx')).Palette }));

interface JumpPaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Leads to any page and does what the shell can do; each page has its own keys as well. */
export function JumpPalette({ open, onClose, onHelp }: JumpPaletteProps) {
  const text = useText();
  const navigate = useNavigate();
  const [orgId, signOut] = [useOrgId(), useSignOut()];
  const { data: user } = useCurrentUser();
  const groups = useNavigation();
  const entries = groups.flatMap((group) => group.entries);
  const pages = entries.map(({ to, label, icon: Icon, keys }): PaletteItem => ({
    value: text.nav.go(label(text)),
    icon: <Icon aria-hidden />,
    ...(keys !== undefined && { keys }),
    run: () => void navigate({ to, params: { orgId } }),
  }));
  const others = (user?.orgs ?? []).filter(({ id }) => id !== orgId);
  const orgs = others.map(({ id, name }): PaletteItem => ({
    value: `${text.nav.switchOrg}: ${showInvisible(name)}`,
    icon: <Building2 aria-hidden />,
    run: () => void navigate({ to: '/o/$orgId', params: { orgId: id } }),
  }));
  const actions: PaletteItem[] = [
    { value: text.nav.getStarted, icon: <Sparkles aria-hidden />, run: () => void navigate({ to: '/welcome' }) },
    { value: text.nav.shortcuts, icon: <Keyboard aria-hidden />, keys: '?', run: onHelp },
    { value: text.auth.signOut, icon: <LogOut aria-hidden />, run: signOut },
  ];
  return (
    <>
      {entries.map(
        ({ to, label, keys }) => keys !== undefined && <PageKeys key={to} to={to} label={label} keys={keys} />,
      )}
      {open && (
        <Suspense>
          <Palette
            open={open}
            onClose={onClose}
            label={text.nav.palette}
            placeholder={text.nav.paletteHint}
            nothing={text.nav.nothingFound}
            items={[...pages, ...orgs, ...actions]}
          />
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
  useShortcut(keys, text.nav.go(label(text)), () => void navigate({ to, params: { orgId } }));
  return null;
}
